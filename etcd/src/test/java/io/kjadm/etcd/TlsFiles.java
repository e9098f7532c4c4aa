package io.kjadm.etcd;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A CA and one certificate for server and client, made by the openssl command. */
record TlsFiles(Path ca, Path cert, Path key) {

    static TlsFiles create(Path folder) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        openssl(
                folder,
                "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 2 -subj /CN=etcd-ca");
        openssl(
                folder,
                "req -newkey rsa:2048 -nodes -keyout etcd.key -out etcd.csr -subj /CN=cp-1");
        Files.writeString(folder.resolve("san.cnf"), """
                subjectAltName=DNS:localhost,DNS:cp-1,IP:127.0.0.1,IP:::1
                extendedKeyUsage=serverAuth,clientAuth
                """);
        openssl(
                folder,
                "x509 -req -in etcd.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -out etcd.crt"
                        + " -extfile san.cnf");
        return new TlsFiles(
                folder.resolve("ca.crt"), folder.resolve("etcd.crt"), folder.resolve("etcd.key"));
    }

    EtcdAccess access(URI endpoint) throws IOException {
        return new EtcdAccess(
                List.of(endpoint),
                Files.readString(ca),
                Files.readString(cert),
                Files.readString(key));
    }

    private static void openssl(Path folder, String arguments)
            throws IOException, InterruptedException {
        var command = new ArrayList<String>(List.of("openssl"));
        command.addAll(List.of(arguments.split(" ")));
        try {
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .start();
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(output);
            }
        } catch (IOException e) {
            assumeTrue(false, "no openssl command: " + e.getMessage());
        }
    }
}
