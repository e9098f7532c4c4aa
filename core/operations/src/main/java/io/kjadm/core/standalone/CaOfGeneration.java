package io.kjadm.core.standalone;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdCertificateFiles;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.pki.CertificatePair;
import io.kjadm.pki.CertificateKey;
import io.kjadm.pki.KeyAlgorithm;
import io.kjadm.pki.KeyPairPool;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.ObjectStore.Put;
import io.kjadm.store.ObjectStore.Stored;
import io.kjadm.store.StoreException;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * The CA of each generation of a cluster that forms by itself: encrypted in the store, and opened in a
 * directory of this machine, so that it can ask etcd before it has a member.
 */
public final class CaOfGeneration {

    private static final int LIMIT = 64 * 1024;

    private final ObjectStore store;
    private final HostFiles files;
    private final CertificateKey key;
    private final Path directory;

    /**
     * Of a machine.
     *
     * @param key       that encrypts it
     * @param directory for the files, of which root alone reads each
     */
    public CaOfGeneration(ObjectStore store, HostFiles files, CertificateKey key, Path directory) {
        this.store = store;
        this.files = files;
        this.key = key;
        this.directory = directory;
    }

    /** The file that {@code etcd init --bundle} writes and {@code etcd join --bundle} reads. */
    public static Path bundle(Path directory) {
        return directory.resolve("ca.bundle");
    }

    /** The file for {@code --certificate-key-file}. */
    public static Path keyFile(Path directory) {
        return directory.resolve("ca.key");
    }

    /** Writes the file with the key, unless it is there. */
    public void writeKey() {
        if (files.read(keyFile(directory)).filter(key.hex()::equals).isEmpty()) {
            files.write(keyFile(directory), key.hex(), FileMode.OWNER_ONLY);
        }
    }

    /**
     * Puts the CA that {@code etcd init} has made on this machine into the store.
     *
     * @throws HostException    if there is none
     * @throws ClusterException if the store does not take it, has another one of this generation, or
     *         does not tell whether it has taken it
     */
    public void provide(int generation) {
        try {
            put(generation);
        } catch (StoreException e) {
            throw new ClusterException(
                    "the CA of generation %d cannot be written to the store".formatted(generation),
                    e.why(),
                    "the machine tries again; check the store",
                    e);
        }
    }

    private void put(int generation) {
        byte[] made = files.readBytes(bundle(directory))
                .orElseThrow(() -> new HostException(
                        "the CA of the cluster is not on this machine",
                        "there is no " + bundle(directory),
                        "run 'kjadm etcd auto' again"));
        String pem = opened(bundle(directory)).authority().certificatePem();
        Put put = store.put(object(generation), made);
        boolean ours =
                put == Put.CREATED || fetch(generation).filter(pem::equals).isPresent();
        if (!ours) {
            throw new ClusterException(
                    "the CA of generation %d is not in the store".formatted(generation),
                    put == Put.EXISTS ? "it holds another CA" : "it does not tell",
                    "the machine tries again; check the store");
        }
        fetch(generation);
    }

    /** Puts the CA that this machine has read from the store into it, if it lacks it now. */
    public void provideAgain(int generation) {
        if (files.exists(ca(opened(generation)).key())
                && store.read(object(generation), LIMIT).isEmpty()) {
            provide(generation);
        }
    }

    /**
     * Puts the CA of this machine's member into the store, for a cluster that is adopted.
     *
     * @param certificates directory of the certificates of this machine's member
     * @throws HostException    if its key is not here, or the pair cannot be used
     * @throws ClusterException as {@link #provide}
     */
    public void offer(int generation, Path certificates, Instant now, Reporter out) {
        CaBundle own = new EtcdCertificates(
                        files, KeyPairPool.onDemand(KeyAlgorithm.ECDSA_P256), now, out)
                .bundle(certificates);
        files.createDirectory(directory, FileMode.PRIVATE_DIRECTORY);
        own.write(files, bundle(directory), key);
        provide(generation);
    }

    /**
     * Makes the CA of a generation that of this machine, a founder that has none: of the one that it
     * founds, if it has provided that before and was put back since; else of the one that has ended, so
     * that its clients are let in.
     *
     * @param certificates directory of the certificates of this machine's member
     */
    public void passOn(int generation, Path certificates) {
        CertificatePair own = EtcdCertificateFiles.standalone(certificates).ca();
        if (files.exists(own.certificate())) {
            return;
        }
        directory(generation).map(CaOfGeneration::ca).ifPresent(ended -> {
            String key = files.read(ended.key()).orElseThrow();
            // a run that was killed has written the key alone
            if (files.read(own.key()).filter(there -> !there.equals(key)).isEmpty()) {
                files.createDirectory(certificates, FileMode.PRIVATE_DIRECTORY);
                own.write(files, files.read(ended.certificate()).orElseThrow(), key);
            }
        });
    }

    /** Whether the CA of a generation is on this machine, as the store has it. */
    public boolean known(int generation) {
        return generation > 0 && directory(generation).isPresent();
    }

    /**
     * The directory with {@code ca.crt} and {@code ca.key} of a generation, fetched if they are not
     * here; empty if the store has none, or does not respond.
     */
    public Optional<Path> directory(int generation) {
        Path own = opened(generation);
        if (files.exists(ca(own).key())) {
            return Optional.of(own);
        }
        try {
            return generation > 0 && fetch(generation).isPresent()
                    ? Optional.of(own)
                    : Optional.empty();
        } catch (StoreException e) {
            return Optional.empty();
        }
    }

    private Path opened(int generation) {
        return directory.resolve("pki-" + generation);
    }

    /** Named as those of a control plane, which are taken before there is a client certificate. */
    private static CertificatePair ca(Path opened) {
        return EtcdCertificateFiles.stacked(opened).ca();
    }

    private static String object(int generation) {
        return "v1/auto/pki/%020d.bundle".formatted(generation);
    }

    /** The certificate of the CA that the store has; its files are on this machine then. */
    private Optional<String> fetch(int generation) {
        Optional<Stored> stored = store.read(object(generation), LIMIT);
        if (stored.isEmpty()) {
            return Optional.empty();
        }
        files.write(
                bundle(directory),
                new String(stored.get().content(), StandardCharsets.UTF_8),
                FileMode.OWNER_ONLY);
        CaBundle ca = opened(bundle(directory));
        CertificatePair pair = ca(opened(generation));
        files.createDirectory(pair.key().getParent(), FileMode.PRIVATE_DIRECTORY);
        files.write(pair.certificate(), ca.certificatesPem(), FileMode.OWNER_ONLY);
        // last, as its presence tells that both are here
        files.write(pair.key(), ca.authority().keyPem().orElseThrow(), FileMode.OWNER_ONLY);
        return Optional.of(ca.authority().certificatePem());
    }

    private CaBundle opened(Path bundle) {
        return CaBundle.read(files, bundle, key);
    }
}
