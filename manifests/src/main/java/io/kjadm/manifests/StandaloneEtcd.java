package io.kjadm.manifests;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The files of an etcd that systemd runs on a machine without Kubernetes: the unit, the environment
 * in which etcd finds all its flags, and the same for {@code etcdctl}. Names and places are those
 * that etcdadm used.
 */
public final class StandaloneEtcd {

    /** Name of the unit, without its suffix. */
    public static final String UNIT = "etcd";

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:,=@%+\\[\\]-]*");

    private static final Pattern UNIT_PATH = Pattern.compile("[^\\p{Cntrl}\"\\\\$`]+");

    private StandaloneEtcd() {}

    /** Where its files are. */
    public record Directories(Path data, Path certificates, Path install) {}

    /**
     * With whom it starts; of no meaning once it has data.
     *
     * @param token    that tells this cluster from others made of the same members
     * @param existing whether there is a cluster that it is a member of
     * @param members  all of them, itself included
     */
    public record InitialCluster(String token, boolean existing, List<NameAndUrl> members) {

        public InitialCluster {
            Objects.requireNonNull(token, "token");
            members = List.copyOf(members);
        }
    }

    /**
     * What the environment is made of.
     *
     * @param version of the binary: flags follow it
     * @param address that it listens on, besides the loopback for clients
     */
    public record Input(
            String name,
            ImageVersion version,
            InetAddress address,
            Directories directories,
            InitialCluster initialCluster) {

        String url(int port) {
            return "https://" + AddressText.withPort(address, port);
        }

        String loopback(String scheme, int port) {
            return "%s://%s:%d".formatted(scheme, AddressText.loopbackInUrl(address), port);
        }
    }

    /** The environment file of the unit: each flag of etcd as its variable. */
    public static String environment(Input input) {
        Path certificates = input.directories().certificates();
        String ca = certificates.resolve("ca.crt").toString();
        String clients = input.url(EtcdPod.CLIENT_PORT);
        String peers = input.url(EtcdPod.PEER_PORT);
        Map<String, String> flags = new LinkedHashMap<>();
        flags.put("name", input.name());
        flags.put("data-dir", input.directories().data().toString());
        flags.put(
                "initial-cluster",
                input.initialCluster().members().stream()
                        .map(NameAndUrl::text)
                        .collect(Collectors.joining(",")));
        flags.put("initial-cluster-token", input.initialCluster().token());
        flags.put("initial-cluster-state", input.initialCluster().existing() ? "existing" : "new");
        flags.put("initial-advertise-peer-urls", peers);
        flags.put("listen-peer-urls", peers);
        flags.put("advertise-client-urls", clients);
        flags.put(
                "listen-client-urls", clients + "," + input.loopback("https", EtcdPod.CLIENT_PORT));
        flags.put("listen-metrics-urls", input.loopback("http", EtcdPod.METRICS_PORT));
        flags.put("client-cert-auth", "true");
        flags.put("cert-file", certificates.resolve("server.crt").toString());
        flags.put("key-file", certificates.resolve("server.key").toString());
        flags.put("trusted-ca-file", ca);
        flags.put("peer-client-cert-auth", "true");
        flags.put("peer-cert-file", certificates.resolve("peer.crt").toString());
        flags.put("peer-key-file", certificates.resolve("peer.key").toString());
        flags.put("peer-trusted-ca-file", ca);
        flags.put("strict-reconfig-check", "true");
        flags.put("snapshot-count", "10000");
        EtcdPod.versionedArguments(Optional.of(input.version()))
                .forEach(argument -> flags.put(argument.name(), argument.value()));
        return flags.entrySet().stream()
                .map(flag -> setting(flag.getKey(), flag.getValue()))
                .collect(Collectors.joining());
    }

    /**
     * The line of the environment file for a flag of etcd.
     *
     * @param flag without its dashes
     */
    public static String setting(String flag, String value) {
        return line("ETCD_" + flag.toUpperCase(Locale.ROOT).replace('-', '_'), value);
    }

    /** As systemd and a shell read it alike. */
    private static String line(String name, String value) {
        String written = PLAIN.matcher(value).matches()
                ? value
                : "\"" + value.replaceAll("([\"\\\\$`])", "\\\\$1") + "\"";
        return name + "=" + written + "\n";
    }

    /**
     * The unit. It lets etcd write to its data directory alone; {@code /home}, {@code /root} and the
     * machine's {@code /tmp} are hidden unless one of its directories is there.
     *
     * @param environmentFile of {@link #environment}
     * @param settings        further lines of its section {@code [Service]}, {@code Nice=-10} for
     *                        example
     * @throws IllegalArgumentException if a path is not one that {@link #isUnitPath} accepts
     */
    public static String unit(
            Path environmentFile, Directories directories, List<String> settings) {
        return TextResource.filled(
                StandaloneEtcd.class,
                "etcd.service",
                Map.of(
                        // the rest of the line, blanks included
                        "ENVIRONMENT_FILE", checked(environmentFile).replace("%", "%%"),
                        "ETCD", unitPath(directories.install().resolve("etcd")),
                        "DATA", unitPath(directories.data()),
                        "PRIVATE", privatePlaces(directories),
                        "SETTINGS",
                                settings.stream()
                                        .map(setting -> setting + "\n")
                                        .collect(Collectors.joining())));
    }

    /** The same as earlier releases wrote it, which let etcd do whatever root may do. */
    public static String formerUnit(
            Path environmentFile, Directories directories, List<String> settings) {
        return TextResource.filled(
                StandaloneEtcd.class,
                "etcd.service.former",
                Map.of(
                        "ENVIRONMENT_FILE", environmentFile.toString(),
                        "ETCD", directories.install().resolve("etcd").toString(),
                        "SETTINGS",
                                settings.stream()
                                        .map(setting -> setting + "\n")
                                        .collect(Collectors.joining())));
    }

    private static String privatePlaces(Directories directories) {
        return (isBelow(directories, "/home", "/root", "/run/user") ? "" : "ProtectHome=yes\n")
                + (isBelow(directories, "/tmp", "/var/tmp") ? "" : "PrivateTmp=yes\n");
    }

    private static boolean isBelow(Directories directories, String... places) {
        return Stream.of(directories.data(), directories.certificates(), directories.install())
                .anyMatch(directory -> Stream.of(places).anyMatch(directory::startsWith));
    }

    /**
     * Whether a path may stand in a unit: what systemd or a shell could take for something else is
     * not worth escaping.
     */
    public static boolean isUnitPath(Path path) {
        return path.isAbsolute() && UNIT_PATH.matcher(path.toString()).matches();
    }

    private static String checked(Path path) {
        if (!isUnitPath(path)) {
            throw new IllegalArgumentException("%s is no path for a unit".formatted(path));
        }
        return path.toString();
    }

    /** As a word of a list or a command line (systemd.syntax(7), systemd.unit(5), "Specifiers"). */
    private static String unitPath(Path path) {
        String escaped = checked(path).replace("%", "%%");
        return PLAIN.matcher(escaped).matches() ? escaped : "\"" + escaped + "\"";
    }

    /** What {@code etcdctl} needs to reach this member, as environment variables. */
    public static String etcdctlEnvironment(InetAddress address, Path certificates) {
        Path base = certificates.resolve("etcdctl-etcd-client");
        return line(
                        "ETCDCTL_ENDPOINTS",
                        "https://" + AddressText.withPort(address, EtcdPod.CLIENT_PORT))
                + line("ETCDCTL_CACERT", certificates.resolve("ca.crt").toString())
                + line("ETCDCTL_CERT", base + ".crt")
                + line("ETCDCTL_KEY", base + ".key")
                + line("ETCDCTL_DIAL_TIMEOUT", "3s");
    }

    /** A program that runs {@code etcdctl} in that environment. */
    public static String etcdctlWrapper(Path environmentFile, Path install) {
        return TextResource.filled(
                StandaloneEtcd.class,
                "etcdctl.sh",
                Map.of(
                        "ENVIRONMENT_FILE", environmentFile.toString(),
                        "ETCDCTL", install.resolve("etcdctl").toString()));
    }
}
