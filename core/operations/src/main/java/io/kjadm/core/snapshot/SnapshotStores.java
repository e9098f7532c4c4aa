package io.kjadm.core.snapshot;

import io.kjadm.core.error.ClusterException;
import io.kjadm.core.error.HostException;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.host.AbsentMounts;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.net.ClientTls;
import io.kjadm.core.net.Outbound;
import io.kjadm.core.net.ProxyEnvironment;
import io.kjadm.core.net.ServerTrust;
import io.kjadm.core.snapshot.sign.SnapshotTrust;
import io.kjadm.store.ObjectStore;
import io.kjadm.store.StoreException;
import io.kjadm.store.StoreProxies;
import io.kjadm.store.StoreProxies.StoreProxy;
import io.kjadm.store.StoreUrl;
import io.kjadm.store.Stores;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import javax.net.ssl.TrustManager;

/** Opens the stores that an operator names, and tells of them as operators are told. */
public final class SnapshotStores {

    /** Where snapshots go that nobody named a store for; no reset cleans it. */
    public static final Path DEFAULT = Path.of("/var/lib/kjadm-snapshots");

    private final HostFiles files;
    private final Map<String, String> environment;

    /** @param environment which names the proxy, and may say where the CAs of this machine are */
    public SnapshotStores(HostFiles files, Map<String, String> environment) {
        this.files = files;
        this.environment = environment;
    }

    /**
     * Does some work on a store.
     *
     * @param text where it is, as typed
     * @throws UsageException   if that is no store
     * @throws ClusterException if the store does not do what is asked of it
     */
    public <T> T use(String text, Function<SnapshotCatalog, T> work) {
        return use(text, SnapshotTrust.ALL, work);
    }

    /**
     * The same where not every snapshot is accepted.
     *
     * @param accepted which ones are
     */
    public <T> T use(String text, SnapshotTrust accepted, Function<SnapshotCatalog, T> work) {
        requireMounted(text);
        return open(text, store -> work.apply(new SnapshotCatalog(store, accepted)));
    }

    /**
     * Refuses a folder below a file system that is to be mounted and is not: what is written there
     * stays on this machine, and nobody sees it once the other one is mounted above it.
     *
     * @throws UsageException if it is no store
     * @throws HostException  if one is not mounted
     */
    public void requireMounted(String text) {
        StoreUrl url = url(text);
        List<String> absent = url.kind() == StoreUrl.Kind.FOLDER
                ? AbsentMounts.setUpHere(files, url.folder())
                : List.of();
        if (!absent.isEmpty()) {
            throw new HostException(
                    "the store %s is not mounted".formatted(url),
                    "fstab or a unit of systemd says that %s is a mount, and nothing is mounted there"
                            .formatted(String.join(", ", absent)),
                    "mount it, then run the command again");
        }
    }

    /**
     * Does some work on the objects of a store.
     *
     * @param text where it is, as typed
     * @throws UsageException   if that is no store
     * @throws ClusterException if the store does not do what is asked of it
     */
    public <T> T open(String text, Function<ObjectStore, T> work) {
        StoreUrl url = url(text);
        try (ObjectStore store = Stores.open(url, trust(url), proxies())) {
            return work.apply(store);
        } catch (StoreException e) {
            throw new ClusterException(
                    e.what(),
                    e.why(),
                    url.kind() == StoreUrl.Kind.FOLDER
                            ? "check the directory and its file system, then run the command again"
                            : "check the bucket, the options after the ? of its URL, and the credentials, then run the command again",
                    e);
        }
    }

    /**
     * Refuses what is no store before anything else is asked.
     *
     * @throws UsageException if it is none
     */
    public static void check(String text) {
        url(text);
    }

    private static StoreUrl url(String text) {
        try {
            return StoreUrl.parse(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    "\"%s\" is no store".formatted(withoutCredentials(text)),
                    e.getMessage(),
                    "name a directory, s3://BUCKET/PREFIX or gs://BUCKET/PREFIX, with ?endpoint=URL for an S3-compatible server");
        }
    }

    private static String withoutCredentials(String text) {
        return text.replaceAll("://[^/@]*@", "://");
    }

    private StoreProxies proxies() {
        Outbound.allowTunnelLogin();
        ProxyEnvironment proxies = new ProxyEnvironment(environment);
        return server -> proxies.proxyFor(server)
                .map(proxy -> new StoreProxy(proxy.address(), proxy.login()));
    }

    private TrustManager trust(StoreUrl url) {
        Optional<Path> file = url.setting(StoreUrl.CA_FILE).map(Path::of);
        try {
            return ClientTls.trust(
                    file.<ServerTrust>map(path -> new ServerTrust.Pinned(read(path)))
                            .orElseGet(ServerTrust.Machine::new),
                    environment);
        } catch (GeneralSecurityException | IOException e) {
            throw new HostException(
                    "the CA certificates of the store cannot be used",
                    e.getMessage(),
                    "check that %s has certificates as PEM"
                            .formatted(file.map(Path::toString).orElse("this machine"))
                            .strip(),
                    e);
        }
    }

    /**
     * The secret keys in a file as {@code age-keygen} writes it: comments, and a key a line.
     *
     * @throws HostException if there is none
     */
    public List<String> identities(Path file) {
        List<String> keys = read(file)
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith("AGE-SECRET-KEY-"))
                .toList();
        if (keys.isEmpty()) {
            throw new HostException(
                    "%s has no secret key".formatted(file),
                    "a line of it has to begin with AGE-SECRET-KEY-",
                    "name the file that 'age-keygen -o FILE' wrote");
        }
        return keys;
    }

    private String read(Path file) {
        return files.read(file)
                .orElseThrow(() ->
                        new HostException("there is no " + file, "", "name a file that is there"));
    }
}
