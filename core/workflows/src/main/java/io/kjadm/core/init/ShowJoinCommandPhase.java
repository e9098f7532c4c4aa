package io.kjadm.core.init;

import io.kjadm.core.config.BootstrapToken;
import io.kjadm.core.kube.KubeAccess;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.token.JoinCommandLine;
import io.kjadm.manifests.TextResource;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code show-join-command}: the closing words, once for each token. */
record ShowJoinCommandPhase(KubeClients clients) implements Phase<InitRun> {

    private static final String WITHHELD = "<value withheld>";

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                        "show-join-command",
                        "Show the join command for control-plane and worker node",
                        InitPhaseFlags.NONE)
                .after("bootstrap-token", "upload-certs");
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        KubeAccess admin = clients.access(run.options().kubeconfig());
        List<JoinCommandLine> commands = run.config().bootstrapTokens().stream()
                .map(token -> command(run, admin, token))
                .toList();
        commands.forEach(command -> out.credentials(words(run, command)));
        return run.withJoinCommands(commands);
    }

    private static JoinCommandLine command(InitRun run, KubeAccess admin, BootstrapToken token) {
        Optional<String> key = run.certificateKey()
                .map(hex -> run.options().skipCertificateKeyPrint() ? WITHHELD : hex);
        return new JoinCommandLine(
                admin.server(),
                admin.pinnedCa()
                        .orElseThrow(
                                () -> JoinCommandLine.withoutCa(run.options().kubeconfig())),
                run.options().skipTokenPrint() ? WITHHELD : token.token(),
                key);
    }

    private static String words(InitRun run, JoinCommandLine command) {
        StringBuilder text = new StringBuilder(
                text("initialized.txt", "ADMIN_CONF", run.options().kubeconfig().toString()));
        if (run.takesControlPlanes()) {
            text.append('\n')
                    .append(text(
                            run.options().uploadCerts() ? "join-uploaded.txt" : "join-copied.txt",
                            "COMMAND",
                            command.controlPlaneLines()));
        }
        return text.append('\n')
                .append(text("join-worker.txt", "COMMAND", command.workerLines()))
                .toString();
    }

    private static String text(String name, String placeholder, String value) {
        return TextResource.filled(ShowJoinCommandPhase.class, name, Map.of(placeholder, value));
    }
}
