package io.kjadm.core.standalone;

import io.kjadm.core.error.HostException;
import io.kjadm.core.etcd.EtcdCertificateFiles;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.phase.Phase;
import io.kjadm.core.phase.PhaseInfo;
import io.kjadm.core.phase.Reporter;
import io.kjadm.etcd.EtcdVersion;
import io.kjadm.manifests.TextResource;
import io.kjadm.pki.CertificateInfo;

import java.nio.file.Path;
import java.util.Map;

/** {@code instructions}: how other machines join, and how a control plane uses this etcd. */
record EtcdInstructionsPhase(HostFiles files) implements Phase<EtcdRun> {

    @Override
    public PhaseInfo info() {
        return PhaseInfo.of("instructions", "Show how other machines join", EtcdPhaseFlags.MEMBER)
                .alias("post-init-instructions");
    }

    @Override
    public EtcdRun run(EtcdRun run, Reporter out) {
        String join = "kjadm etcd join %s --ca-cert-hash %s%s"
                .formatted(run.settings().clientUrl(), pin(run), version(run));
        Map<String, String> values = Map.of(
                "JOIN", join,
                "CERTS_DIR", run.settings().directories().certificates().toString(),
                "BUNDLE", run.options().bundle().map(Path::toString).orElse(""),
                "KEY", run.options().certificateKey().map(key -> key.hex()).orElse(""),
                "EXTERNAL_ETCD", run.paths().externalEtcd().toString());
        out.credentials(TextResource.filled(
                EtcdInstructionsPhase.class,
                run.target().isPresent()
                        ? "joined.txt"
                        : run.options().bundle().isPresent()
                                ? "initialized-bundle.txt"
                                : "initialized.txt",
                values));
        return run;
    }

    /** Another machine would take the newest, and all members have to be of one minor. */
    private static String version(EtcdRun run) {
        EtcdVersion version = run.settings().version();
        return version.equals(EtcdRunLoader.defaultVersion()) ? "" : " --version " + version;
    }

    private String pin(EtcdRun run) {
        Path ca = EtcdCertificateFiles.standalone(run.settings().directories().certificates())
                .ca()
                .certificate();
        return files.read(ca)
                .map(CertificateInfo::parse)
                .map(info -> info.pin().format())
                .orElseThrow(() -> new HostException(
                        "the file %s is missing".formatted(ca),
                        "other machines need it to join",
                        "run phase certs first"));
    }
}
