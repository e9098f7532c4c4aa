package io.kjadm.core.upgrade;

import io.kjadm.core.config.ClusterConfiguration;
import io.kjadm.core.config.UpgradeConfiguration;
import io.kjadm.core.config.VersionResolver;
import io.kjadm.core.error.ClusterException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.journal.Failpoints;
import io.kjadm.core.kube.KubeApi;
import io.kjadm.core.kube.KubeCalls;
import io.kjadm.core.kube.KubeClients;
import io.kjadm.core.phase.Reporter;
import io.kjadm.core.phase.Waiter;
import io.kjadm.core.value.KubernetesVersion;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Collects what an upgrade has to know, before its first phase; nothing is changed. */
public final class UpgradeRunLoader {

    private static final String AREA = "upgrade/config";
    private static final Pattern VERSION = Pattern.compile("\"gitVersion\"\\s*:\\s*\"([^\"]+)\"");

    private final HostFiles files;
    private final KubeClients clients;
    private final Waiter observer;
    private final Waiter waiter;
    private final Reporter out;
    private final Failpoints failpoints;

    /**
     * @param observer waits for what is only read, real even in a dry run
     * @param waiter   the clock of the run
     */
    public UpgradeRunLoader(
            HostFiles files,
            KubeClients clients,
            Waiter observer,
            Waiter waiter,
            Failpoints failpoints,
            Reporter out) {
        this.files = files;
        this.clients = clients;
        this.observer = observer;
        this.waiter = waiter;
        this.failpoints = failpoints;
        this.out = out;
    }

    /**
     * The start of {@code upgrade apply}.
     *
     * @param versions makes a version of a label
     */
    public UpgradeRun apply(
            UpgradeConfiguration config,
            Path kubeconfig,
            Function<ClusterConfiguration, ClusterConfiguration> versions) {
        UpgradeConfiguration.Apply apply = config.apply();
        String wanted = versions.apply(ClusterConfiguration.defaults()
                        .withKubernetesVersion(withV(apply.requiredVersion()), false))
                .kubernetesVersion();
        return load(
                new UpgradeRun.Order(true, apply.node(), apply.force(), config.timeouts()),
                kubeconfig,
                Optional.of(wanted));
    }

    private static String withV(String version) {
        return Character.isDigit(version.charAt(0)) ? "v" + version : version;
    }

    /** The start of {@code upgrade node}: the version is the one that the cluster has stored. */
    public UpgradeRun node(UpgradeConfiguration config, Path kubeconfig) {
        return load(
                new UpgradeRun.Order(false, config.node(), false, config.timeouts()),
                kubeconfig,
                Optional.empty());
    }

    private UpgradeRun load(UpgradeRun.Order order, Path kubeconfig, Optional<String> version) {
        KubeApi api = clients.of(kubeconfig);
        KubeCalls calls = new KubeCalls(observer, order.timeouts().kubernetesApiCall());
        out.step(
                AREA,
                "Reading configuration from the \"kubeadm-config\" ConfigMap in namespace \"kube-system\"...");
        StoredConfiguration stored = StoredConfiguration.read(api, calls, version, out::warn);
        VersionResolver.requireDeployable(stored.cluster().version());
        InstalledNode installed = InstalledNode.look(files, stored.cluster());
        KubernetesVersion from = KubernetesVersion.of(running(api, calls));
        return new UpgradeRun(
                order,
                kubeconfig,
                installed,
                stored,
                from,
                waiter.now(),
                new ChangesOfRun(
                        files,
                        installed.paths(),
                        from.text(),
                        stored.cluster().kubernetesVersion(),
                        waiter.now(),
                        failpoints.fuse(waiter),
                        out));
    }

    private static String running(KubeApi api, KubeCalls calls) {
        String answer =
                calls.repeatUntilAllowed(AREA, "report its version", () -> api.raw("/version"));
        Matcher version = VERSION.matcher(answer);
        if (!version.find()) {
            throw new ClusterException(
                    "the API server does not report its version",
                    "it answers: " + answer.strip(),
                    "check that the kubeconfig names the API server");
        }
        return version.group(1);
    }
}
