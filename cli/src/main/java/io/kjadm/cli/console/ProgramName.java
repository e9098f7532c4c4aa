package io.kjadm.cli.console;

import io.kjadm.core.value.KubernetesVersion;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The name under which this program runs, and the only place that looks at it. Called as
 * {@code kubeadm} it stands in for that program: the commands that it prints, the form of
 * {@code version} and the versions of files that it accepts are kubeadm's ({@code docs/drop-in.md}).
 */
public enum ProgramName {
    KJADM,
    KUBEADM;

    /** Where the launcher says by which name it was called, before links were resolved. */
    public static final String PROPERTY = "kjadm.name";

    /** Overrides the name of the call, for those who cannot choose it. */
    static final String VARIABLE = "KJADM_AS";

    /** The commands that kubeadm has too; what only kjadm has keeps that name. */
    static final List<String> SHARED = List.of(
            "init",
            "join",
            "reset",
            "upgrade",
            "token",
            "certs",
            "kubeconfig",
            "config",
            "completion",
            "help",
            "alpha",
            "version");

    /** The first minor of Kubernetes whose kubeadm does not read v1beta3. */
    private static final int WITHOUT_V1BETA3 = 37;

    private static final Pattern COMMAND = Pattern.compile(
            "(?<![\\w./-])kjadm(?=\\s+(?:%s)(?![\\w-]))".formatted(String.join("|", SHARED)));

    /** The name of this process. */
    public static ProgramName ofProcess() {
        return of(Optional.ofNullable(System.getProperty(PROPERTY)), System.getenv());
    }

    /**
     * The name that a call asks for: that of the variable, else that of the call, and kjadm where
     * neither is one of the two names.
     */
    static ProgramName of(Optional<String> called, Map<String, String> environment) {
        return Optional.ofNullable(environment.get(VARIABLE))
                .filter(name -> !name.isEmpty())
                .or(() -> called)
                .filter(KUBEADM.toString()::equals)
                .map(_ -> KUBEADM)
                .orElse(KJADM);
    }

    /** Whether callers expect kubeadm. */
    public boolean standsInForKubeadm() {
        return this == KUBEADM;
    }

    /** The same text with the commands in it as they are called by this name. */
    String inCommands(String text) {
        return this == KJADM || !text.contains(KJADM.toString())
                ? text
                : COMMAND.matcher(text).replaceAll(toString());
    }

    /**
     * Whether files of API version v1beta3 are read: kubeadm does until 1.36, and this program,
     * called by its own name, always.
     *
     * @param release that {@code version} names
     */
    public boolean readsV1Beta3(String release) {
        return this == KJADM || KubernetesVersion.of(release).minor() < WITHOUT_V1BETA3;
    }

    /** How this program names itself to API servers, which log it. */
    public String userAgent() {
        if (this == KJADM) {
            return toString();
        }
        ProgramVersion version = ProgramVersion.current();
        return "%s/%s (%s %s)".formatted(this, version.kubernetes(), KJADM, version.version());
    }

    /** As it is typed. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
