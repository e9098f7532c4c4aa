package io.kjadm.core.standalone;

import io.kjadm.core.etcd.host.StandaloneEtcdState;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.etcd.upgrade.EtcdFlags;
import io.kjadm.manifests.NameAndUrl;
import io.kjadm.manifests.StandaloneEtcd;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The environment of this machine's etcd as it is, for another version: flags get the names that
 * the other version knows, the members are listed as they are now, and everything else stays,
 * whoever has written or changed it.
 */
record EtcdEnvironment(String text) {

    private static final String PREFIX = "ETCD_";

    /** Its flags as the other version understands them. */
    EtcdFlags flags(EtcdVersion from, EtcdVersion to) {
        return EtcdFlags.of(
                StandaloneEtcdState.variables(text).entrySet().stream()
                        .map(variable -> "--%s=%s"
                                .formatted(
                                        variable.getKey()
                                                .toLowerCase(Locale.ROOT)
                                                .replace('_', '-'),
                                        variable.getValue()))
                        .toList(),
                from,
                to);
    }

    /**
     * The environment for the other version.
     *
     * @param members all of them, so that one that loses its data never founds a cluster of its own
     */
    String with(EtcdFlags flags, List<NameAndUrl> members) {
        List<String> arguments = EtcdFlags.with(
                flags.arguments(),
                "--initial-cluster="
                        + members.stream()
                                .map(member -> member.name() + "=" + member.url())
                                .collect(Collectors.joining(",")));
        arguments = EtcdFlags.with(arguments, "--initial-cluster-state=existing");
        return Stream.concat(
                        text.lines()
                                .filter(line -> !line.strip().startsWith(PREFIX))
                                .map(line -> line + "\n"),
                        arguments.stream().map(EtcdEnvironment::line))
                .collect(Collectors.joining());
    }

    /** The same for a member whose cluster, a new one, has no other; nothing else changes. */
    String alone(NameAndUrl member, String token) {
        Map<String, String> wanted = new LinkedHashMap<>();
        wanted.put("initial-cluster", member.text());
        wanted.put("initial-cluster-token", token);
        wanted.put("initial-cluster-state", "existing");
        Map<String, String> lines = new LinkedHashMap<>();
        wanted.forEach((flag, value) -> {
            String line = StandaloneEtcd.setting(flag, value);
            lines.put(line.substring(0, line.indexOf('=')), line);
        });
        StringBuilder made = new StringBuilder();
        text.lines().forEach(line -> {
            String name = line.strip().replaceFirst("=.*", "");
            if (lines.containsKey(name)) {
                made.append(lines.replace(name, ""));
            } else {
                made.append(line).append('\n');
            }
        });
        lines.values().forEach(made::append);
        return made.toString();
    }

    private static String line(String argument) {
        int equals = argument.indexOf('=');
        return StandaloneEtcd.setting(
                argument.substring(2, equals), argument.substring(equals + 1));
    }
}
