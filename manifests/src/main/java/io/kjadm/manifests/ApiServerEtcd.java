package io.kjadm.manifests;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** How the API server reaches etcd: its client URLs as given, and the files to reach it with. */
public record ApiServerEtcd(
        List<String> endpoints,
        Optional<Path> caFile,
        Optional<Path> certFile,
        Optional<Path> keyFile) {

    public ApiServerEtcd {
        endpoints = List.copyOf(endpoints);
        Objects.requireNonNull(caFile, "caFile");
        Objects.requireNonNull(certFile, "certFile");
        Objects.requireNonNull(keyFile, "keyFile");
    }

    /**
     * The etcd of the same node.
     *
     * @param etcdArgs its extra arguments, which may move the URL that the API server uses
     */
    public static ApiServerEtcd stacked(
            PodHost host, InetAddress advertiseAddress, List<Argument> etcdArgs) {
        String endpoint = Argument.lastValue(etcdArgs, "advertise-client-urls")
                .orElseGet(() -> "https://" + AddressText.loopbackInUrl(advertiseAddress) + ":"
                        + EtcdPod.CLIENT_PORT);
        Path certificates = host.certificatesDir();
        return new ApiServerEtcd(
                List.of(endpoint),
                Optional.of(certificates.resolve("etcd/ca.crt")),
                Optional.of(certificates.resolve("apiserver-etcd-client.crt")),
                Optional.of(certificates.resolve("apiserver-etcd-client.key")));
    }

    List<Path> files() {
        return Stream.of(caFile, certFile, keyFile).flatMap(Optional::stream).toList();
    }

    List<Argument> arguments() {
        var arguments = new ArrayList<Argument>();
        arguments.add(new Argument("etcd-servers", String.join(",", endpoints)));
        caFile.ifPresent(file -> arguments.add(new Argument("etcd-cafile", file.toString())));
        if (certFile.isPresent() && keyFile.isPresent()) {
            arguments.add(new Argument("etcd-certfile", certFile.get().toString()));
            arguments.add(new Argument("etcd-keyfile", keyFile.get().toString()));
        }
        return arguments;
    }
}
