package io.kjadm.core.standalone;

import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import io.kjadm.core.etcd.ExternalEtcdFile;
import io.kjadm.core.phase.Confirmation;
import io.kjadm.etcd.history.Recorder;
import io.kjadm.pki.PrivateKeyPem;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicReference;

/** Clients with TLS write while three members get new certificates, and a new CA. */
@EnabledIfSystemProperty(named = "kjadm.history.seconds", matches = "\\d+")
class CertificateHistoryTest {

    @TempDir
    Path folder;

    private RealMachines lab;
    private Recorder recorder;
    /** What the clients connect with. */
    private final AtomicReference<ExternalEtcdFile> given = new AtomicReference<>();

    @BeforeEach
    void begin() throws IOException {
        lab = new RealMachines(folder, 3);
        give();
        recorder = new Recorder(
                () -> lab.machines.stream().map(machine -> machine.client).toList(),
                this::dial,
                Recorder.anySeed());
    }

    @AfterEach
    void end() {
        lab.close();
    }

    private void give() {
        given.set(lab.machines.getLast().forControlPlanes());
    }

    private ManagedChannel dial(URI url) {
        ExternalEtcdFile file = given.get();
        try {
            return Grpc.newChannelBuilder(
                            url.getAuthority(),
                            TlsChannelCredentials.newBuilder()
                                    .trustManager(stream(file.caPem()))
                                    .keyManager(
                                            stream(file.certPem()),
                                            stream(PrivateKeyPem.toPkcs8(file.keyPem())))
                                    .build())
                    .disableRetry()
                    .proxyDetector(address -> null)
                    .build();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static InputStream stream(String pem) {
        return new ByteArrayInputStream(pem.getBytes(StandardCharsets.UTF_8));
    }

    private Collection<Path> dataDirs() {
        lab.machines.forEach(machine -> machine.process.stop());
        return lab.machines.stream().map(machine -> machine.process.dataDir()).toList();
    }

    @Test
    void certificatesAreRenewed() throws IOException {
        recorder.record(
                        () -> {
                            for (RealMachines.Real machine : lab.machines) {
                                recorder.during("renew " + machine.process.name(), machine::renew);
                            }
                        },
                        this::dataDirs)
                .requireRight("renew certificates", lab.binary);
    }

    /** Each machine in three rounds; clients are given what the machines have after each. */
    @Test
    void theCaIsAnotherOne() throws IOException {
        recorder.record(
                        () -> {
                            for (int round = 1; round <= 3; round++) {
                                for (RealMachines.Real machine : lab.machines) {
                                    recorder.during(
                                            "rotate on %s, round %d"
                                                    .formatted(machine.process.name(), round),
                                            () -> machine.rotate(Confirmation.GIVEN));
                                }
                                give();
                            }
                        },
                        this::dataDirs)
                .requireRight("rotate the CA", lab.binary);
    }
}
