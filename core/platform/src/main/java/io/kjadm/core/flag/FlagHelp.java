package io.kjadm.core.flag;

import java.util.HashMap;
import java.util.Map;

/** The help of every flag, with its default where there is one. */
final class FlagHelp {

    /** One line for each flag, in the order of {@link Flag}. */
    private static final String HELP = """
            accept-loss: Start a new cluster with this node's data even if another survivor may hold newer data
            adopt: Take the place of the machine whose data disk is in this one, for example after its root disk was replaced
            adopt-changes: Keep manual changes to the static pod manifests, as patch files in the patches directory
            all: Defragment every member, regardless of its free space
            all-nodes: Also show the certificates that the API servers and etcd members of all nodes serve, if they respond
            allow-degraded: Join even if an etcd voter does not respond, where etcd itself allows it (3.5.30, 3.6.11, 3.7.0 and newer)
            allow-deprecated-api: Do not warn about deprecated API versions
            allow-experimental-api: Allow the experimental API version kubeadm.k8s.io/v1; config migrate then writes that version
            allow-experimental-upgrades: Show unstable versions of Kubernetes as an upgrade alternative and allow upgrading to an alpha, beta or release candidate version
            allow-insecure-release-server: Allow plain HTTP for an etcd release whose SHA-256 kjadm does not know; others on the network can replace the download
            allow-missing-template-keys: If true, ignore any errors in templates when a field or map key is missing in the template (default true)
            allow-mixed: Join even if the etcd members run two minor versions, as during an upgrade
            allow-path: Additional file that the bundle may write, besides the CAs, the service account keys and the configuration files in /etc/kubernetes
            allow-release-candidate-upgrades: Show release candidate versions of Kubernetes as an upgrade alternative and allow upgrading to one
            although-it-serves: Give up a cluster that serves, to go back to earlier data on purpose
            apiserver-advertise-address: The IP address the API Server will advertise it's listening on. If not set, the address of the default route is used
            apiserver-bind-port: Port for the API Server to bind to (default 6443)
            apiserver-cert-extra-sans: Extra names and addresses for the API Server's serving certificate
            apiserver-extra-args: Extra flags for the API Server, name=value (deprecated: use the configuration)
            apply: Start a new cluster with this node's data when the quorum is permanently lost
            ask-cluster: With --dry-run, read the configuration and the state of etcd from the cluster instead of assuming the defaults
            bind-address: The IP address of this machine that etcd listens on. If not set, the address of the default route is used
            bump-revision: How much to increase the latest revision after restore, at least, so that clients see no revision twice (default 1000000000)
            bundle: File with the etcd CA, encrypted with a certificate key
            ca-cert-hash: Hash of the public key of the cluster's CA (format: "sha256:<hex>"), as printed by 'kjadm etcd init'
            cert-dir: The path where the certificates are stored (default /etc/kubernetes/pki)
            certificate-key: Key used to encrypt the certificates in the kubeadm-certs Secret: 64 hexadecimal digits
            certificate-key-file: File with the certificate key (64 hexadecimal digits). If not set, $KJADM_CERTIFICATE_KEY is used
            certificate-renewal: Renew the certificates of the upgraded components (default true)
            certs-dir: The path where the etcd certificates are stored (default /etc/etcd/pki)
            cleanup-tmp-dir: Clean up the "/etc/kubernetes/tmp" directory
            client-name: The name of the user, used as the common name of the client certificate (required)
            cluster-id: Use only snapshots of the cluster with this ID (hexadecimal)
            cluster-token: Token of the initial cluster, from which etcd derives the IDs of the cluster and its first member
            collect: Print the evidence on this node as JSON, to be used with --evidence on another node
            compact-keep: Number of latest revisions to keep when etcd is compacted (default 10000)
            component-configs: Component configurations to print as well: KubeProxyConfiguration, KubeletConfiguration
            compress: Compression of the snapshot in the store: gzip or none (default none)
            config: Path to a configuration file
            context-lines: How many lines of context in the diff (default 3)
            control-plane: Create a new control plane instance on this node
            control-plane-endpoint: Specify a stable IP address or DNS name for the control plane, with an optional port
            controller-manager-extra-args: Extra flags for the Controller Manager, name=value (deprecated: use the configuration)
            cri-socket: Path to the CRI socket to connect to. If not set, it is detected; use this option only if you have more than one container runtime or a non-standard socket
            cron-job: Print a CronJob for the cluster that runs on a control-plane node; requires --image
            data-dir: The path to the etcd data directory (default /var/lib/etcd)
            data-lost: The disk with the data of this machine's etcd member is gone for good
            declare-lost: Voters that are permanently lost or shut off, by name, ID or peer URL; "no-others" if there is no member list and there are no other members
            delete-data: Delete the etcd data directory instead of renaming it
            description: A human friendly description of what the token is used for
            discovery-file: For file-based discovery, a file or https URL from which to load cluster information
            discovery-token: For token-based discovery, the token used to validate cluster information fetched from the API server
            discovery-token-ca-cert-hash: For token-based discovery, validate that the root CA public key matches this hash (format: "sha256:<hex>")
            discovery-token-unsafe-skip-ca-verification: For token-based discovery, allow joining without --discovery-token-ca-cert-hash pinning
            disk-priorities: Settings for the [Service] section of the etcd unit (default Nice=-10,IOSchedulingClass=best-effort,IOSchedulingPriority=2)
            dry-run: Don't apply any changes; just output what would be done
            encrypt-to: age recipients (age1...) to encrypt the snapshot to
            endpoints: Client URLs of etcd members (default those in this node's etcd manifest)
            etcd-bin: Directory with the etcd and etcdutl binaries used to test-restore the snapshot (default the directory of the search path, /opt/bin, /usr/local/bin or /usr/bin with the version of the snapshot's etcd)
            etcd-tarball: Archive of an etcd release, or a directory with archives of releases, for machines without access to the release server
            etcd-patch-wait: How long to wait for other etcd members that need a patch release before the next minor version; with 0 the command exits and names them (default 0s)
            etcd-upgrade: Perform the upgrade of etcd (default true)
            existing-data: Set up etcd for the data of this machine's member, which are in the data directory, and add no member: after the other files of the machine were lost
            every: Interval between snapshots: minutes that divide an hour, or hours that divide a day (default 1h0m0s)
            evidence: Files with the output of 'kjadm etcd recover --collect' on other nodes
            external-etcd: Use a standalone etcd: path to the file external-etcd.yaml that 'kjadm etcd init' wrote on one of its machines
            feature-gates: A set of key=value pairs that describe feature gates for various features
            for: End the pause after this time. If not set, only 'kjadm etcd auto resume' ends it
            force: Reset the node without prompting for confirmation
            force-last-member: Reset the node even if it has the only etcd voter, which ends the cluster; a snapshot of etcd is kept
            format: Tool that created the snapshot: auto, etcdctl, datadir, k3s, etcd-manager or gardener (default auto)
            from-file: Restore the snapshot in this file, or in this directory of another tool, instead of one in a store
            from-snapshot: Start with the data of this snapshot: its name, the beginning of its name, "latest", or the path of a file
            groups: Extra groups that this token authenticates as; must match "system:bootstrappers:…" (default system:bootstrappers:kubeadm:default-node-token)
            id: Remove only this learner, by ID (hexadecimal) or name
            identity-file: age identity file to decrypt the snapshot with
            ignore-preflight-errors: A list of checks whose errors will be shown as warnings. Example: 'IsPrivilegedUser,Swap'. Value 'all' ignores errors from all checks
            image: Container image for the CronJob, with kjadm in its search path
            image-repository: Choose a container registry to pull control plane images from (default registry.k8s.io)
            image-tag: Tag of the etcd image, if it is not the version followed by -0
            init-system: Accepted for compatibility with etcdadm; only systemd is supported (default systemd)
            install-dir: The path where the etcd binaries are installed (default /opt/bin)
            into: Directory to use as the root of the file system: files are written below it, and existing files are not replaced (required)
            join-stall-timeout: Give up if the new etcd member makes no progress for this long (default 2m0s)
            join-timeout: Give up if the new etcd member is not a voter after this long (default 30m0s)
            join-wait: How long to wait for other etcd members to join first (default 30m0s)
            keep-daily: Number of daily snapshots to keep (default 14)
            keep-hourly: Number of hourly snapshots to keep (default 48)
            keep-last: Number of latest snapshots to keep (default 10)
            keep-learner: If the join fails, do not remove the etcd learner that it added
            keep-monthly: Number of monthly snapshots to keep (default 12)
            keep-verified: Number of latest verified snapshots to keep, at least 1 (default 2)
            keep-weekly: Number of weekly snapshots to keep (default 8)
            kubeconfig: The kubeconfig file to use when talking to the cluster (default /etc/kubernetes/admin.conf)
            kubeconfig-dir: The path where to save the kubeconfig files (default /etc/kubernetes)
            kubernetes-version: Choose a specific Kubernetes version for the control plane (default stable-1)
            label: Labels for the snapshot, as name=value; shown by 'kjadm etcd snapshot list'
            level: Verification level: sum (checksum), structure (database pages and revision) or drill (restore into a temporary etcd and compare) (default structure)
            log-format: Format of log messages: text, or json for one event per line on standard error (default text)
            lost: Voters that never run again, by ID or name
            metrics-file: Write the result as Prometheus metrics to this .prom file (node_exporter textfile collector)
            min-free: Skip members with less free space in the database than this (default 100Mi)
            name: The name of the member; the host name if not set
            new-config: Path to the file to write; standard output if not set
            no-certificate-key: Encrypt the new CA's key with the old CA's key only. Use it only if the old key was not exposed, for example before the CA expires
            node-name: Specify the node name
            none: Take an approved restore back, while the next cluster has not begun
            old-config: Path to the configuration file to convert (required)
            once: Take one turn and exit; fails if this machine has to wait
            operator-key: File with the operator's private key, which 'kjadm etcd seed' has written
            org: The organizations of the client certificate, which are the groups of the user
            output: Output format
            patches: Path to a directory that contains files named "target[suffix][+patchtype].extension", for example "kube-apiserver0+merge.yaml"
            pause: Pause between two members (default 30s)
            plan: Show the checks, the order of the members and the commands; change nothing
            pod-network-cidr: Specify range of IP addresses for the pod network. If set, the control plane will automatically allocate CIDRs for every node
            prepare-only: Print what the machine of the new member needs and how to start its etcd; change nothing
            print-config: Print the cluster configuration that will be used in the upgrade
            print-join-command: Instead of printing only the token, print the full 'kjadm join' command that uses the token
            print-manifest: Print the addon manifests to standard output instead of installing them
            purge-pki: Also delete the etcd CA and its key
            quota-backend-bytes: Database quota of the members, for etcd before 3.6, which does not report it (default the one in this node's etcd manifest)
            reason: Why checks are skipped
            release-url: Base URL of the etcd releases (default https://github.com/etcd-io/etcd/releases/download)
            replace-lost-voter: Remove this node's etcd voter, whose data is lost, and join as a new member
            require: Which members must serve: quorum or all (default quorum)
            restart: Restart the components that use the renewed certificates on this node, one at a time, and check that they serve them
            restart-kubelet: Restart the kubelet with its new configuration, if the new version of the kubelet is installed
            scheduler-extra-args: Extra flags for the Scheduler, name=value (deprecated: use the configuration)
            server-cert-extra-sans: Extra names and addresses for the server certificate of etcd
            service-cidr: Range of IP addresses for service VIPs (default 10.96.0.0/12)
            service-dns-domain: DNS domain for services (default cluster.local)
            show-managed-fields: Accepted for compatibility with kubectl; these objects have no managed fields
            sign-key: Private key file (Ed25519) to sign the snapshot or its verification with; 'kjadm etcd snapshot key' creates one
            skip-certificate-key-print: Don't print the key used to encrypt the uploaded certificates
            skip-check: Checks to skip, by the names shown by --plan; requires --reason
            skip-gate: Deprecated: use --skip-check
            skip-hash-check: Also accept a snapshot without a SHA-256 at its end, such as a database copied from a data directory
            skip-phases: List of phases to be skipped
            skip-remove-member: Accepted for compatibility with etcdadm; the same as --force
            skip-token-print: Don't print the bootstrap token
            snapshot: Accepted for compatibility with etcdadm; the same as --from-snapshot
            soak: How long all members must stay healthy before the next member is changed (default 1m0s)
            store: Snapshot store: a directory, s3://BUCKET/PREFIX or gs://BUCKET/PREFIX. Specify an S3-compatible server with ?endpoint, as in s3://BUCKET?endpoint=URL (default /var/lib/kjadm-snapshots)
            survivor: Machine whose data the next cluster begins with: its ID, or the name or ID of its member
            systemd: Print a systemd service and timer for a control-plane node
            takeover: Remove another node's etcd learner that blocks this join and makes no progress
            threshold: Defragment only members whose free fraction exceeds this value (0 to 1) (default 0.45)
            timeout: How long to wait for the learner to catch up (default 1m0s)
            timings: Write the start and end of each phase, wait and server call to this file, as JSON
            tls-bootstrap-token: Specify the token used to temporarily authenticate with the Kubernetes Control Plane while joining the node
            token: Use this token for both discovery-token and tls-bootstrap-token when those values are not provided
            token-file: File with the token of the cluster (default /etc/kjadm/etcd-auto.token)
            token-ttl: The duration before the token is automatically deleted (e.g. 1s, 2m, 3h). If set to '0', the token will never expire (default 24h0m0s)
            ttl: The duration before the token is automatically deleted (e.g. 1s, 2m, 3h). If set to '0', the token will never expire (default 24h0m0s)
            undo: Restore the data and the control plane to their state before an interrupted restore
            upload-certs: Upload control-plane certificates, encrypted, to the kubeadm-certs Secret
            usages: The ways in which this token can be used (default signing,authentication)
            validity-period: The validity period of the client certificate, starting now (default 8760h)
            verify: Verification level after the snapshot was stored: none, sum, structure or drill. The structure is always checked while it is received (default sum)
            verify-key: Public key file of a trusted signer; snapshots that no trusted signer signed are refused. Can be given several times; if not set, /etc/kjadm/snapshot-verify.pub is used if it exists
            version: The etcd release
            watch: Refresh every 2 seconds until Ctrl-C
            wipe-etcd-data: Rename the etcd data directory on this node if it belongs to the cluster with this ID (hexadecimal)
            with-pki: Also store the keys needed to rebuild the cluster: the CAs, the service account keys and the encryption configuration; requires --encrypt-to
            work-dir: Directory for temporary files, on a disk with enough free space (default /var/tmp)
            yes: Do not ask for confirmation, and also remove a learner that may be joining, if it has never started or its join is older than 10 minutes
            """;

    private static final Map<String, String> BY_NAME = new HashMap<>();

    static {
        for (String line : HELP.split("\n")) {
            int end = line.indexOf(": ");
            BY_NAME.put(line.substring(0, end), line.substring(end + 2));
        }
    }

    private FlagHelp() {}

    static String of(Flag flag) {
        return BY_NAME.get(flag.toString());
    }
}
