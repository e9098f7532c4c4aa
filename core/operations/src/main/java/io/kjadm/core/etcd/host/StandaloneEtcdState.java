package io.kjadm.core.etcd.host;

import io.kjadm.core.error.UsageException;
import io.kjadm.core.etcd.AddedFlags;
import io.kjadm.core.etcd.EtcdUrlFlags;
import io.kjadm.core.etcd.ExternalEtcdFile;
import io.kjadm.core.etcd.JournalFile;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;

import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * What the files of a machine with an etcd of its own tell about its member: the environment file
 * of the service first, be it this program's or etcdadm's.
 */
public final class StandaloneEtcdState {

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
        Function<String, Optional<String>> named =
                name -> word(flags, name.toUpperCase(Locale.ROOT).replace('-', '_'));
        EtcdUrlFlags urls = new EtcdUrlFlags(named);
        Set<URI> peers = urls.of("initial-advertise-peer-urls");
        Set<URI> others = urls.others();
        others.addAll(known(files, paths));
        return Optional.of(new LocalEtcdState(
                new LocalEtcdState.Setup(
                        false,
                        environment.isPresent(),
                        Optional.empty(),
                        false,
                        word(flags, "INITIAL_CLUSTER_STATE")
                                .filter("new"::equals)
                                .isPresent(),
                        AddedFlags.of(paths.environment(), dataDir, named)),
                word(flags, "NAME").or(() -> settings.map(MemberSettings::name)),
                new LocalEtcdState.Urls(
                        peers.isEmpty()
                                ? settings.map(own -> Set.of(own.peerUrl())).orElse(Set.of())
                                : peers,
                        urls.clients(),
                        urls.local(),
                        others),
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

    /** The members there were when it had joined. */
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
