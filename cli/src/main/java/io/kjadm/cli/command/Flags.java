package io.kjadm.cli.command;

import static io.kjadm.cli.command.FlagOption.all;
import static io.kjadm.cli.command.FlagOption.explained;

import io.kjadm.core.flag.Flag;

import java.util.List;

/** The flags of the workflows, in the order of their help. */
public final class Flags {

    public static final FlagOption FEATURE_GATES = new FlagOption(
            Flag.FEATURE_GATES, Flag.FEATURE_GATES.help() + ": " + FeatureGateHelp.TEXT);

    public static final List<FlagOption> INIT = explained(
            all(
                    Flag.APISERVER_ADVERTISE_ADDRESS,
                    Flag.APISERVER_BIND_PORT,
                    Flag.APISERVER_CERT_EXTRA_SANS,
                    Flag.CERT_DIR,
                    Flag.CERTIFICATE_KEY,
                    Flag.CONFIG,
                    Flag.CONTROL_PLANE_ENDPOINT,
                    Flag.CRI_SOCKET,
                    Flag.DRY_RUN,
                    Flag.EXTERNAL_ETCD,
                    Flag.FEATURE_GATES,
                    Flag.IGNORE_PREFLIGHT_ERRORS,
                    Flag.IMAGE_REPOSITORY,
                    Flag.KUBERNETES_VERSION,
                    Flag.NODE_NAME,
                    Flag.OUTPUT,
                    Flag.PATCHES,
                    Flag.POD_NETWORK_CIDR,
                    Flag.SERVICE_CIDR,
                    Flag.SERVICE_DNS_DOMAIN,
                    Flag.SKIP_CERTIFICATE_KEY_PRINT,
                    Flag.SKIP_PHASES,
                    Flag.SKIP_TOKEN_PRINT,
                    Flag.TIMINGS,
                    Flag.TOKEN,
                    Flag.TOKEN_TTL,
                    Flag.UPLOAD_CERTS),
            FEATURE_GATES,
            OutputFlags.RESULT,
            new FlagOption(
                    Flag.TOKEN,
                    "The bootstrap token; random if empty. The format is [a-z0-9]{6}.[a-z0-9]{16}"));

    /** With those that only single init phases have. */
    public static final List<FlagOption> INIT_PHASES = all(
            INIT,
            Flag.KUBECONFIG,
            Flag.KUBECONFIG_DIR,
            Flag.PRINT_MANIFEST,
            Flag.APISERVER_EXTRA_ARGS,
            Flag.CONTROLLER_MANAGER_EXTRA_ARGS,
            Flag.SCHEDULER_EXTRA_ARGS);

    public static final List<FlagOption> JOIN = explained(
            all(
                    Flag.ALLOW_DEGRADED,
                    Flag.ALLOW_MIXED,
                    Flag.APISERVER_ADVERTISE_ADDRESS,
                    Flag.APISERVER_BIND_PORT,
                    Flag.ASK_CLUSTER,
                    Flag.CERTIFICATE_KEY,
                    Flag.CONFIG,
                    Flag.CONTROL_PLANE,
                    Flag.CRI_SOCKET,
                    Flag.DISCOVERY_FILE,
                    Flag.DISCOVERY_TOKEN,
                    Flag.DISCOVERY_TOKEN_CA_CERT_HASH,
                    Flag.DISCOVERY_TOKEN_UNSAFE_SKIP_CA_VERIFICATION,
                    Flag.DRY_RUN,
                    Flag.IGNORE_PREFLIGHT_ERRORS,
                    Flag.JOIN_STALL_TIMEOUT,
                    Flag.JOIN_TIMEOUT,
                    Flag.JOIN_WAIT,
                    Flag.KEEP_LEARNER,
                    Flag.NODE_NAME,
                    Flag.OUTPUT,
                    Flag.PATCHES,
                    Flag.REPLACE_LOST_VOTER,
                    Flag.SKIP_PHASES,
                    Flag.TAKEOVER,
                    Flag.TIMINGS,
                    Flag.TLS_BOOTSTRAP_TOKEN,
                    Flag.TOKEN,
                    Flag.WIPE_ETCD_DATA),
            OutputFlags.RESULT);

    public static final List<FlagOption> RESET = explained(
            all(
                    Flag.CERT_DIR,
                    Flag.CLEANUP_TMP_DIR,
                    Flag.CONFIG,
                    Flag.CRI_SOCKET,
                    Flag.DRY_RUN,
                    Flag.FORCE,
                    Flag.FORCE_LAST_MEMBER,
                    Flag.IGNORE_PREFLIGHT_ERRORS,
                    Flag.KUBECONFIG,
                    Flag.OUTPUT,
                    Flag.SKIP_PHASES,
                    Flag.TIMINGS),
            OutputFlags.RESULT);

    public static final List<FlagOption> UPGRADE_APPLY = explained(
            all(
                    Flag.ADOPT_CHANGES,
                    Flag.ALLOW_EXPERIMENTAL_UPGRADES,
                    Flag.ALLOW_RELEASE_CANDIDATE_UPGRADES,
                    Flag.CERTIFICATE_RENEWAL,
                    Flag.CONFIG,
                    Flag.DRY_RUN,
                    Flag.ETCD_PATCH_WAIT,
                    Flag.ETCD_UPGRADE,
                    Flag.FORCE,
                    Flag.IGNORE_PREFLIGHT_ERRORS,
                    Flag.KUBECONFIG,
                    Flag.OUTPUT,
                    Flag.PATCHES,
                    Flag.PRINT_CONFIG,
                    Flag.RESTART_KUBELET,
                    Flag.SKIP_PHASES,
                    Flag.TIMINGS,
                    Flag.YES),
            OutputFlags.RESULT,
            new FlagOption(
                    Flag.FORCE,
                    "Upgrade although findings that may be skipped advise against it, and do not ask"),
            new FlagOption(Flag.YES, "Upgrade without asking for confirmation"));

    public static final List<FlagOption> UPGRADE_NODE = explained(
            all(
                    Flag.ADOPT_CHANGES,
                    Flag.CERTIFICATE_RENEWAL,
                    Flag.CONFIG,
                    Flag.DRY_RUN,
                    Flag.ETCD_PATCH_WAIT,
                    Flag.ETCD_UPGRADE,
                    Flag.IGNORE_PREFLIGHT_ERRORS,
                    Flag.KUBECONFIG,
                    Flag.OUTPUT,
                    Flag.PATCHES,
                    Flag.RESTART_KUBELET,
                    Flag.SKIP_PHASES,
                    Flag.TIMINGS),
            OutputFlags.RESULT,
            new FlagOption(
                    Flag.KUBECONFIG,
                    "The kubeconfig file to use when talking to the cluster (default /etc/kubernetes/admin.conf, on a worker /etc/kubernetes/kubelet.conf)"));

    public static final List<FlagOption> UPGRADE_PLAN = explained(
            all(
                    Flag.ALLOW_EXPERIMENTAL_UPGRADES,
                    Flag.ALLOW_MISSING_TEMPLATE_KEYS,
                    Flag.ALLOW_RELEASE_CANDIDATE_UPGRADES,
                    Flag.CONFIG,
                    Flag.ETCD_UPGRADE,
                    Flag.IGNORE_PREFLIGHT_ERRORS,
                    Flag.KUBECONFIG,
                    Flag.OUTPUT,
                    Flag.PATCHES,
                    Flag.PRINT_CONFIG,
                    Flag.SHOW_MANAGED_FIELDS),
            OutputFlags.ALL.toArray(FlagOption[]::new));

    public static final List<FlagOption> UPGRADE_DIFF =
            all(Flag.CONFIG, Flag.CONTEXT_LINES, Flag.KUBECONFIG, Flag.PATCHES);

    private Flags() {}
}
