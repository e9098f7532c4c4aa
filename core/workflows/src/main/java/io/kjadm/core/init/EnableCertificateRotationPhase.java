package io.kjadm.core.init;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.FileMode;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.Services;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.manifests.Argument;
import io.kjadm.manifests.Kubeconfig;
import io.kjadm.manifests.KubeconfigUser;

import java.nio.file.Path;

/**
 * {@code kubelet-finalize/enable-client-cert-rotation}: lets the kubelet's kubeconfig use the
 * certificate that the kubelet itself renews.
 */
record EnableCertificateRotationPhase(HostFiles files, Services services)
        implements Phase<InitRun> {

    private static final String CURRENT = "kubelet-client-current.pem";

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of(
                "enable-client-cert-rotation",
                "Enable kubelet client certificate rotation",
                InitPhaseFlags.KUBELET_FINALIZE);
    }

    @Override
    public InitRun run(InitRun run, Reporter out) {
        Path current = Argument.lastValue(run.node().registration().kubeletExtraArgs(), "cert-dir")
                .map(Path::of)
                .orElse(run.node().paths().kubeletClientCurrent().getParent())
                .resolve(CURRENT);
        if (!files.exists(current)) {
            out.detail("kubelet-finalize: the kubelet keeps no rotated certificate at " + current);
            return run;
        }
        Path path = run.node().kubeconfig("kubelet.conf");
        String text = files.read(path)
                .orElseThrow(() -> new HostException(
                        "there is no " + path,
                        "the kubelet cannot be given its certificate",
                        "run phase kubeconfig kubelet first"));
        String rotated = Kubeconfig.parse(text)
                .withCredentials(KubeconfigUser.certificateFiles(current, current))
                .render();
        if (rotated.equals(text)) {
            return run;
        }
        out.step(
                "kubelet-finalize",
                "Updating \"%s\" to point to a rotatable kubelet client certificate and key"
                        .formatted(path));
        files.write(path, rotated, FileMode.OWNER_ONLY);
        services.restart("kubelet").ifPresent(out::warn);
        return run;
    }
}
