package io.kjadm.core.etcd.host;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.value.IpAddresses;
import io.kjadm.etcd.EtcdUrls;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.manifests.StandaloneEtcd.Directories;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A member that another program has set up with the same files as this one: etcdadm
 * ({@code constants/constants.go}), or a person. What this program would remember of it.
 */
public final class ForeignMember {

    private static final SortedMap<String, String> CERTIFICATES = new TreeMap<>(Map.of(
            "CERT_FILE", "server.crt",
            "KEY_FILE", "server.key",
            "TRUSTED_CA_FILE", "ca.crt",
            "PEER_CERT_FILE", "peer.crt",
            "PEER_KEY_FILE", "peer.key",
            "PEER_TRUSTED_CA_FILE", "ca.crt"));

    private static final EtcdVersion NONE = EtcdVersion.parse("0.0.0");

    private final HostFiles files;
    private final EtcdHostPaths paths;
    private final Map<String, String> flags;

    ForeignMember(HostFiles files, EtcdHostPaths paths) {
        this.files = files;
        this.paths = paths;
        this.flags = files.read(paths.environment())
                .map(StandaloneEtcdState::variables)
                .orElse(Map.of());
    }

    /**
     * Its record, as that of a member that serves.
     *
     * @param running version of its etcd
     * @throws HostException if it is set up in another way than this program would
     */
    public MemberRecord record(EtcdVersion running) {
        Directories directories = new Directories(path("DATA_DIR"), certificates(), install());
        return new MemberRecord(
                new MemberSettings(
                        flag("NAME"), running, address(), directories, List.of(), List.of()),
                "new".equals(flags.get("INITIAL_CLUSTER_STATE")),
                true,
                flags.getOrDefault("INITIAL_CLUSTER_TOKEN", ""));
    }

    /** Why it has none; empty if it has one. */
    public Optional<String> objection() {
        try {
            record(NONE);
            return Optional.empty();
        } catch (HostException e) {
            return Optional.of("%s: %s".formatted(e.what(), e.why()));
        }
    }

    private String flag(String name) {
        return Optional.ofNullable(flags.get(name))
                .filter(value -> !value.isBlank())
                .orElseThrow(() ->
                        refused("%s does not set ETCD_%s".formatted(paths.environment(), name)));
    }

    private Path path(String name) {
        Path path = Path.of(flag(name));
        if (!path.isAbsolute()) {
            throw refused("ETCD_%s is %s, which is not an absolute path".formatted(name, path));
        }
        return path;
    }

    private URI url(String name) {
        try {
            return new URI(flag(name));
        } catch (URISyntaxException e) {
            throw refused("ETCD_%s is not one URL: %s".formatted(name, flag(name)));
        }
    }

    /** By which this program would reach it, and issue its certificates. */
    private InetAddress address() {
        URI peer = url("INITIAL_ADVERTISE_PEER_URLS");
        URI client = url("ADVERTISE_CLIENT_URLS");
        InetAddress address = Optional.ofNullable(peer.getHost())
                .flatMap(_ -> IpAddresses.parse(EtcdUrls.host(peer)))
                .orElseThrow(() -> refused("its peer URL %s has no IP address".formatted(peer)));
        if (!peer.equals(EtcdUrls.peer(address)) || !client.equals(EtcdUrls.client(address))) {
            throw refused("its URLs are %s and %s, and not %s and %s"
                    .formatted(peer, client, EtcdUrls.peer(address), EtcdUrls.client(address)));
        }
        return address;
    }

    private Path certificates() {
        Path directory = path("CERT_FILE").resolveSibling("");
        CERTIFICATES.forEach((flag, name) -> {
            Path expected = directory.resolve(name);
            if (!path(flag).equals(expected)) {
                throw refused("ETCD_%s is %s, and not %s".formatted(flag, path(flag), expected));
            }
        });
        return directory;
    }

    /** Where the program is that the unit starts with that environment. */
    private Path install() {
        String unit =
                files.read(paths.unit()).orElseThrow(() -> refused("there is no " + paths.unit()));
        if (unit.lines().noneMatch(("EnvironmentFile=" + paths.environment())::equals)) {
            throw refused("%s does not read %s".formatted(paths.unit(), paths.environment()));
        }
        return unit.lines()
                .filter(line -> line.startsWith("ExecStart="))
                .map(line -> Path.of(line.substring("ExecStart=".length()).strip()))
                .filter(program -> program.endsWith("etcd") && program.isAbsolute())
                .findFirst()
                .map(Path::getParent)
                .orElseThrow(() -> refused("%s starts etcd with arguments, or not by its path"
                        .formatted(paths.unit())));
    }

    private static HostException refused(String why) {
        return new HostException(
                "the etcd of this machine is not set up as kjadm and etcdadm do",
                why,
                "run 'kjadm etcd reset' and then 'kjadm etcd join' on this machine");
    }
}
