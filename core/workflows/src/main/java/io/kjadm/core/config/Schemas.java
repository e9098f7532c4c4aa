package io.kjadm.core.config;

import static io.kjadm.core.config.Schema.Scalar.ANY;
import static io.kjadm.core.config.Schema.Scalar.BOOL;
import static io.kjadm.core.config.Schema.Scalar.DURATION;
import static io.kjadm.core.config.Schema.Scalar.INT;
import static io.kjadm.core.config.Schema.Scalar.STRING;
import static io.kjadm.core.config.Schema.Scalar.TIMESTAMP;
import static io.kjadm.core.config.Schema.fields;
import static io.kjadm.core.config.Schema.list;
import static io.kjadm.core.config.Schema.map;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The fields of the configuration kinds, version by version. */
final class Schemas {

    /** A field of an argument in v1. */
    static final String MERGE_METHOD = "mergeMethod";

    private static final Schema.ListOf STRINGS = list(STRING);
    private static final Schema.ListOf ARGS = list(fields(STRING, "name value"));
    private static final Schema.ListOf ENVS =
            list(fields(STRING, "name value").and(map(ANY), "valueFrom"));
    private static final Schema.ListOf VOLUMES =
            list(fields(STRING, "name hostPath mountPath pathType").and(BOOL, "readOnly"));
    private static final Schema.Fields PATCHES = fields(STRING, "directory");

    private static final Schema.Fields TIMEOUTS = fields(DURATION, """
            controlPlaneComponentHealthCheck kubeletHealthCheck kubernetesAPICall etcdAPICall
            tlsBootstrap discovery upgradeManifests
            """);

    private static final Schema.Fields NODE_REGISTRATION = fields(
                    STRING, "name criSocket imagePullPolicy")
            .and(BOOL, "imagePullSerial")
            .and(ARGS, "kubeletExtraArgs")
            .and(STRINGS, "ignorePreflightErrors")
            .and(list(fields(STRING, "key value effect timeAdded")), "taints");

    private static final Schema.Fields ENDPOINT =
            fields(STRING, "advertiseAddress").and(INT, "bindPort");

    private static final Schema.Fields TOKEN = fields(STRING, "token description")
            .and(DURATION, "ttl")
            .and(TIMESTAMP, "expires")
            .and(STRINGS, "usages groups");

    private static final Schema.Fields INIT = fields(STRING, "certificateKey")
            .and(BOOL, "dryRun")
            .and(STRINGS, "skipPhases")
            .and(list(TOKEN), "bootstrapTokens")
            .and(NODE_REGISTRATION, "nodeRegistration")
            .and(ENDPOINT, "localAPIEndpoint")
            .and(PATCHES, "patches")
            .and(TIMEOUTS, "timeouts");

    private static final Schema.Fields COMPONENT =
            fields(ARGS, "extraArgs").and(VOLUMES, "extraVolumes").and(ENVS, "extraEnvs");

    private static final Schema.Fields LOCAL_ETCD = fields(
                    STRING, "imageRepository imageTag dataDir")
            .and(ARGS, "extraArgs")
            .and(ENVS, "extraEnvs")
            .and(STRINGS, "serverCertSANs peerCertSANs");

    private static final Schema.Fields EXTERNAL_ETCD =
            fields(STRINGS, "endpoints httpEndpoints").and(STRING, "caFile certFile keyFile");

    private static final Schema.Fields CLUSTER = fields(STRING, """
            kubernetesVersion clusterName controlPlaneEndpoint certificatesDir imageRepository
            encryptionAlgorithm
            """)
            .and(DURATION, "certificateValidityPeriod caCertificateValidityPeriod")
            .and(map(BOOL), "featureGates")
            .and(fields(STRING, "serviceSubnet podSubnet dnsDomain"), "networking")
            .and(COMPONENT.and(STRINGS, "certSANs"), "apiServer")
            .and(COMPONENT, "controllerManager scheduler")
            .and(fields(STRING, "imageRepository imageTag").and(BOOL, "disabled"), "dns")
            .and(fields(BOOL, "disabled"), "proxy")
            .and(fields(LOCAL_ETCD, "local").and(EXTERNAL_ETCD, "external"), "etcd");

    private static final Schema.Fields TOKEN_DISCOVERY = fields(STRING, "token apiServerEndpoint")
            .and(STRINGS, "caCertHashes")
            .and(BOOL, "unsafeSkipCAVerification");

    private static final Schema.Fields DISCOVERY = fields(TOKEN_DISCOVERY, "bootstrapToken")
            .and(fields(STRING, "kubeConfigPath"), "file")
            .and(STRING, "tlsBootstrapToken");

    private static final Schema.Fields JOIN = fields(STRING, "caCertPath")
            .and(BOOL, "dryRun")
            .and(STRINGS, "skipPhases")
            .and(NODE_REGISTRATION, "nodeRegistration")
            .and(DISCOVERY, "discovery")
            .and(fields(ENDPOINT, "localAPIEndpoint").and(STRING, "certificateKey"), "controlPlane")
            .and(PATCHES, "patches")
            .and(TIMEOUTS, "timeouts");

    private static final Schema.Fields RESET = fields(STRING, "certificatesDir criSocket")
            .and(BOOL, "cleanupTmpDir dryRun force")
            .and(STRINGS, "ignorePreflightErrors skipPhases unmountFlags")
            .and(TIMEOUTS, "timeouts");

    private static final Schema.Fields UPGRADE_NODE = fields(STRING, "imagePullPolicy")
            .and(BOOL, "certificateRenewal dryRun etcdUpgrade imagePullSerial")
            .and(STRINGS, "ignorePreflightErrors skipPhases")
            .and(PATCHES, "patches");

    private static final Schema.Fields UPGRADE_APPLY = UPGRADE_NODE
            .and(STRING, "kubernetesVersion")
            .and(BOOL, "allowExperimentalUpgrades allowRCUpgrades forceUpgrade printConfig");

    private static final Schema.Fields UPGRADE_PLAN = fields(STRING, "kubernetesVersion")
            .and(BOOL, "allowExperimentalUpgrades allowRCUpgrades dryRun etcdUpgrade printConfig")
            .and(STRINGS, "ignorePreflightErrors");

    private static final Schema.Fields UPGRADE = fields(UPGRADE_APPLY, "apply")
            .and(UPGRADE_NODE, "node")
            .and(UPGRADE_PLAN, "plan")
            .and(fields(STRING, "kubernetesVersion").and(INT, "contextLines"), "diff")
            .and(TIMEOUTS, "timeouts");

    private static final Map<String, Schema.Fields> V1BETA4 = Map.of(
            Document.INIT,
            INIT,
            Document.CLUSTER,
            CLUSTER,
            Document.JOIN,
            JOIN,
            Document.RESET,
            RESET,
            Document.UPGRADE,
            UPGRADE);

    private static final Map<String, Schema.Fields> V1BETA3 = v1beta3();

    private Schemas() {}

    /** The schema of a kubeadm kind in a version, if there is such a kind in it. */
    static Optional<Schema.Fields> kubeadm(String version, String kind) {
        return switch (version) {
            case Document.V1 -> Optional.ofNullable(V1BETA4.get(kind)).map(Schemas::v1);
            case Document.V1BETA4 -> Optional.ofNullable(V1BETA4.get(kind));
            case Document.V1BETA3 -> Optional.ofNullable(V1BETA3.get(kind));
            default -> Optional.empty();
        };
    }

    /** Arguments may say how they are merged with the defaults. */
    private static Schema.Fields v1(Schema.Fields v1beta4) {
        Schema.ListOf args = list(fields(STRING, "name value").and(STRING, MERGE_METHOD));
        Map<String, Schema> fields = new LinkedHashMap<>();
        v1beta4.fields()
                .forEach((name, schema) -> fields.put(
                        name,
                        schema.equals(ARGS)
                                ? args
                                : schema instanceof Schema.Fields nested ? v1(nested) : schema));
        return new Schema.Fields(fields);
    }

    /** Arguments were maps, and what came with v1beta4 is absent. */
    private static Map<String, Schema.Fields> v1beta3() {
        Schema.MapOf args = map(STRING);
        Schema.Fields node =
                NODE_REGISTRATION.without("imagePullSerial").and(args, "kubeletExtraArgs");
        Schema.Fields component = COMPONENT.without("extraEnvs").and(args, "extraArgs");
        Schema.Fields apiServer =
                component.and(STRINGS, "certSANs").and(DURATION, "timeoutForControlPlane");
        Schema.Fields etcd = fields(LOCAL_ETCD.without("extraEnvs").and(args, "extraArgs"), "local")
                .and(EXTERNAL_ETCD.without("httpEndpoints"), "external");
        return Map.of(
                Document.INIT,
                INIT.without("dryRun timeouts").and(node, "nodeRegistration"),
                Document.CLUSTER,
                CLUSTER.without("encryptionAlgorithm certificateValidityPeriod"
                                + " caCertificateValidityPeriod proxy")
                        .and(apiServer, "apiServer")
                        .and(component, "controllerManager scheduler")
                        .and(fields(STRING, "imageRepository imageTag"), "dns")
                        .and(etcd, "etcd"),
                Document.JOIN,
                JOIN.without("dryRun timeouts")
                        .and(node, "nodeRegistration")
                        .and(DISCOVERY.and(DURATION, "timeout"), "discovery"));
    }
}
