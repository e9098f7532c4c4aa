package io.kjadm.cli.wiring;

import io.kjadm.cli.command.FlagOption;
import io.kjadm.core.certs.CertsNode;
import io.kjadm.core.certs.CertsNodeLoader;
import io.kjadm.core.certs.ComponentRestart;
import io.kjadm.core.certs.ManagedCertificate;
import io.kjadm.core.certs.NodeRenewal;
import io.kjadm.core.config.ConfigurationFile;
import io.kjadm.core.config.CriSockets;
import io.kjadm.core.config.LoadOptions;
import io.kjadm.core.etcd.ClusterClients;
import io.kjadm.core.etcd.LocalEtcdState;
import io.kjadm.core.etcd.ca.EtcdRestart;
import io.kjadm.core.etcd.ca.TlsCertificateProbe;
import io.kjadm.core.flag.CommandFlags;
import io.kjadm.core.flag.Flag;
import io.kjadm.core.host.HostInfo;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.staticpod.KubeletCriSocket;
import io.kjadm.core.token.KubeconfigSearch;
import io.kjadm.pki.KeyPairPool;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The control-plane node that a command about certificates is about, as its flags say. */
public final class CertsNodes {

    /** The flags that say which certificates are meant. */
    public static final List<FlagOption> WHERE = FlagOption.explained(
            FlagOption.all(Flag.CERT_DIR, Flag.CONFIG, Flag.KUBECONFIG),
            new FlagOption(
                    Flag.CERT_DIR,
                    "The path where the certificates are stored (default the cluster's, else that of the API server's manifest, else /etc/kubernetes/pki)"));

    private CertsNodes() {}

    /** The node whose certificates a command changes. */
    public static CertsNode find(
            String area, CommandFlags flags, Composition composition, Reporter out) {
        return find(area, flags, composition, loader(composition, out), out);
    }

    /** The same for a command that only reads. */
    public static CertsNode look(
            String area, CommandFlags flags, Composition composition, Reporter out) {
        return find(area, flags, composition, loader(composition, out).brief(), out);
    }

    private static CertsNodeLoader loader(Composition composition, Reporter out) {
        return new CertsNodeLoader(
                composition.ports().files(),
                composition.clients(),
                composition.ports().observer(),
                out);
    }

    private static CertsNode find(
            String area,
            CommandFlags flags,
            Composition composition,
            CertsNodeLoader loader,
            Reporter out) {
        Optional<Path> directory = flags.path(Flag.CERT_DIR);
        Optional<ConfigurationFile> file = Composition.configurationFile(flags);
        if (file.isEmpty()) {
            return loader.find(area, kubeconfig(flags, composition), directory);
        }
        directory.ifPresent(ignored -> out.warn(
                "--cert-dir is ignored because --config is given, which names the directory"));
        return loader.of(Composition.loader(out)
                .init(file, CommandFlags.none(), LoadOptions.OFFLINE)
                .cluster());
    }

    /** Renews certificates of a node, with new keys; those that are new then. */
    public static List<ManagedCertificate> renew(
            Composition composition, CertsNode node, List<ManagedCertificate> wanted) {
        return new NodeRenewal(
                        composition.ports().files(),
                        KeyPairPool.started(node.algorithm(), wanted.size()),
                        composition.out())
                .renew(node, wanted);
    }

    /** What restarts the components of a node that read its certificates. */
    public static ComponentRestart restart(
            CommandFlags flags,
            Composition composition,
            CertsNode node,
            Reporter out,
            EtcdRestart.Purpose purpose) {
        Ports ports = composition.ports();
        String socket = KubeletCriSocket.find(ports.files(), node.paths())
                .orElseGet(() ->
                        new CriSockets(ports.machine().runtimes()::canConnect).firstAnswering());
        ClusterClients cluster = composition.cluster();
        EtcdRestart etcd = new EtcdRestart(
                cluster.etcd(),
                LocalEtcdState.look(ports.files(), node.paths()),
                node.paths().certificatesDir(),
                cluster.locks()
                        .of(
                                () -> cluster.kube().of(kubeconfig(flags, composition)),
                                new HostInfo(ports.observed()).hostname(),
                                out),
                ports.waiter(),
                out,
                purpose);
        return new ComponentRestart(ports.machine(), socket, new TlsCertificateProbe(), etcd, out);
    }

    /** This node's own comes before the operator's, which may be for another cluster. */
    public static Path kubeconfig(CommandFlags flags, Composition composition) {
        Path own = KubernetesPaths.standard().adminConf();
        return flags.path(Flag.KUBECONFIG)
                .orElseGet(() -> composition.ports().files().exists(own)
                        ? own
                        : new KubeconfigSearch(composition.ports().files(), System.getenv())
                                .find(Optional.empty()));
    }
}
