package io.kjadm.core.etcd.host;

import io.kjadm.core.config.ExternalEtcdFile;
import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.etcd.EtcdPorts;
import io.kjadm.etcd.EtcdUrls;

import java.net.URI;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the files of a machine with an etcd of its own tell about its member: the environment file
 * of the service first, be it this program's or etcdadm's.
 */
public final class StandaloneEtcdState {

    private static final Set<String> ANYWHERE = Set.of("0.0.0.0", "::");

    private StandaloneEtcdState() {}

    /** An etcd of its own; empty if there is none. */
    public static Optional<LocalEtcdState> look(HostFiles files, EtcdHostPaths paths) {
        Optional<MemberRecord> record = new MemberFile(files, paths).read();
        Optional<String> environment = files.read(paths.environment());
        if (record.isEmpty() && environment.isEmpty()) {
            return Optional.empty();
        }
        Map<String, String> flags =
                environment.map(StandaloneEtcdState::variables).orElse(Map.of());
        Optional<MemberSettings> settings = record.map(MemberRecord::settings);
        Path dataDir = word(flags, "DATA_DIR")
                .map(Path::of)
                .or(() -> settings.map(own -> own.directories().data()))
                .orElse(KubernetesPaths.ETCD_DATA_DIR);
        Path certificates = word(flags, "CERT_FILE")
                .map(file -> Path.of(file).getParent())
                .or(() -> settings.map(own -> own.directories().certificates()))
                .orElse(paths.certificatesDir());
        Set<URI> listening = urls(flags, "LISTEN_CLIENT_URLS");
        Set<URI> clients = new LinkedHashSet<>(urls(flags, "ADVERTISE_CLIENT_URLS"));
        clients.addAll(listening);
        clients.removeIf(url -> ANYWHERE.contains(EtcdUrls.host(url)));
        Set<URI> local = new LinkedHashSet<>(listening);
        local.removeIf(url -> !EtcdUrls.loopback(url));
        Set<URI> peers = urls(flags, "INITIAL_ADVERTISE_PEER_URLS");
        return Optional.of(new LocalEtcdState(
                false,
                environment.isPresent(),
                Optional.empty(),
                false,
                word(flags, "INITIAL_CLUSTER_STATE").filter("new"::equals).isPresent(),
                word(flags, "NAME").or(() -> settings.map(MemberSettings::name)),
                peers.isEmpty()
                        ? settings.map(own -> Set.of(own.peerUrl())).orElse(Set.of())
                        : peers,
                clients,
                local,
                others(files, paths, flags),
                dataDir,
                files.exists(dataDir.resolve(KubernetesPaths.ETCD_MEMBER)),
                certificates,
                new JournalFile(files, paths.stateDir()).read()));
    }

    /** The variables of an environment file, without the prefix of etcd's flags. */
    public static Map<String, String> variables(String environment) {
        Map<String, String> variables = new LinkedHashMap<>();
        environment
                .lines()
                .map(String::strip)
                .filter(line -> line.startsWith("ETCD_") && line.contains("="))
                .forEach(line -> variables.put(
                        line.substring("ETCD_".length(), line.indexOf('=')),
                        bare(line.substring(line.indexOf('=') + 1))));
        return variables;
    }

    private static String bare(String value) {
        boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
        return quoted ? value.substring(1, value.length() - 1).replaceAll("\\\\(.)", "$1") : value;
    }

    private static Optional<String> word(Map<String, String> flags, String name) {
        return Optional.ofNullable(flags.get(name)).filter(text -> !text.isBlank());
    }

    private static Set<URI> urls(Map<String, String> flags, String name) {
        Set<URI> urls = new LinkedHashSet<>();
        word(flags, name).stream()
                .flatMap(list -> Arrays.stream(list.split(",")))
                .flatMap(text -> url(text).stream())
                .forEach(urls::add);
        return urls;
    }

    private static Optional<URI> url(String text) {
        try {
            URI url = URI.create(text.strip());
            return Optional.of(url).filter(known -> known.getHost() != null);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** The members it was started with, and those there were when it had joined. */
    private static Set<URI> others(
            HostFiles files, EtcdHostPaths paths, Map<String, String> flags) {
        Set<URI> urls = new LinkedHashSet<>();
        Stream.concat(
                        word(flags, "INITIAL_CLUSTER").stream()
                                .flatMap(list -> Arrays.stream(list.split(",")))
                                .map(entry -> entry.substring(entry.indexOf('=') + 1))
                                .flatMap(text -> url(text).stream())
                                .map(url -> EtcdUrls.of(
                                        url.getScheme(), EtcdUrls.host(url), EtcdPorts.CLIENT)),
                        known(files, paths).stream())
                .forEach(urls::add);
        return urls;
    }

    private static List<URI> known(HostFiles files, EtcdHostPaths paths) {
        try {
            return files.exists(paths.externalEtcd())
                    ? ExternalEtcdFile.read(files, paths.externalEtcd()).endpoints()
                    : List.of();
        } catch (UsageException e) {
            // it only adds to what is known already
            return List.of();
        }
    }
}
