package io.kjadm.core.config;

import static io.kjadm.core.config.Schema.Scalar.ANY;
import static io.kjadm.core.config.Schema.Scalar.BOOL;
import static io.kjadm.core.config.Schema.Scalar.DURATION;
import static io.kjadm.core.config.Schema.Scalar.INT;
import static io.kjadm.core.config.Schema.Scalar.STRING;
import static io.kjadm.core.config.Schema.Scalar.TIMESTAMP;
import static io.kjadm.core.config.Schema.list;
import static io.kjadm.core.config.Schema.map;
import static io.kjadm.core.config.Schema.object;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The fields of the configuration kinds, version by version. */
final class Schemas {

    /** A field of an argument in v1. */
    static final String MERGE_METHOD = "mergeMethod";

    private static final Schema.ListOf STRINGS = list(STRING);
    private static final Schema.ListOf ARGS = list(object("name", STRING, "value", STRING));
    private static final Schema.ListOf ENVS =
            list(object("name", STRING, "value", STRING, "valueFrom", map(ANY)));
    private static final Schema.ListOf VOLUMES = list(object(
            "name",
            STRING,
            "hostPath",
            STRING,
            "mountPath",
            STRING,
            "readOnly",
            BOOL,
            "pathType",
            STRING));
    private static final Schema.Fields PATCHES = object("directory", STRING);

    private static final Schema.Fields TIMEOUTS = object(
            "controlPlaneComponentHealthCheck",
            DURATION,
            "kubeletHealthCheck",
            DURATION,
            "kubernetesAPICall",
            DURATION,
            "etcdAPICall",
            DURATION,
            "tlsBootstrap",
            DURATION,
            "discovery",
            DURATION,
            "upgradeManifests",
            DURATION);

    private static final Schema.Fields NODE_REGISTRATION = object(
            "name",
            STRING,
            "criSocket",
            STRING,
            "taints",
            list(object("key", STRING, "value", STRING, "effect", STRING, "timeAdded", STRING)),
            "kubeletExtraArgs",
            ARGS,
            "ignorePreflightErrors",
            STRINGS,
            "imagePullPolicy",
            STRING,
            "imagePullSerial",
            BOOL);

    private static final Schema.Fields ENDPOINT =
            object("advertiseAddress", STRING, "bindPort", INT);

    private static final Schema.Fields TOKEN = object(
            "token",
            STRING,
            "description",
            STRING,
            "ttl",
            DURATION,
            "expires",
            TIMESTAMP,
            "usages",
            STRINGS,
            "groups",
            STRINGS);

    private static final Schema.Fields INIT = object(
            "bootstrapTokens",
            list(TOKEN),
            "dryRun",
            BOOL,
            "nodeRegistration",
            NODE_REGISTRATION,
            "localAPIEndpoint",
            ENDPOINT,
            "certificateKey",
            STRING,
            "skipPhases",
            STRINGS,
            "patches",
            PATCHES,
            "timeouts",
            TIMEOUTS);

    private static final Schema.Fields COMPONENT =
            object("extraArgs", ARGS, "extraVolumes", VOLUMES, "extraEnvs", ENVS);

    private static final Schema.Fields LOCAL_ETCD = object(
            "imageRepository",
            STRING,
            "imageTag",
            STRING,
            "dataDir",
            STRING,
            "extraArgs",
            ARGS,
            "extraEnvs",
            ENVS,
            "serverCertSANs",
            STRINGS,
            "peerCertSANs",
            STRINGS);

    private static final Schema.Fields EXTERNAL_ETCD = object(
            "endpoints",
            STRINGS,
            "httpEndpoints",
            STRINGS,
            "caFile",
            STRING,
            "certFile",
            STRING,
            "keyFile",
            STRING);

    private static final Schema.Fields CLUSTER = object(
            "kubernetesVersion",
            STRING,
            "clusterName",
            STRING,
            "controlPlaneEndpoint",
            STRING,
            "certificatesDir",
            STRING,
            "imageRepository",
            STRING,
            "encryptionAlgorithm",
            STRING,
            "certificateValidityPeriod",
            DURATION,
            "caCertificateValidityPeriod",
            DURATION,
            "featureGates",
            map(BOOL),
            "networking",
            object("serviceSubnet", STRING, "podSubnet", STRING, "dnsDomain", STRING),
            "apiServer",
            COMPONENT.with("certSANs", STRINGS),
            "controllerManager",
            COMPONENT,
            "scheduler",
            COMPONENT,
            "dns",
            object("imageRepository", STRING, "imageTag", STRING, "disabled", BOOL),
            "proxy",
            object("disabled", BOOL),
            "etcd",
            object("local", LOCAL_ETCD, "external", EXTERNAL_ETCD));

    private static final Schema.Fields JOIN = object(
            "dryRun",
            BOOL,
            "nodeRegistration",
            NODE_REGISTRATION,
            "caCertPath",
            STRING,
            "discovery",
            object(
                    "bootstrapToken",
                            object(
                                    "token",
                                    STRING,
                                    "apiServerEndpoint",
                                    STRING,
                                    "caCertHashes",
                                    STRINGS,
                                    "unsafeSkipCAVerification",
                                    BOOL),
                    "file", object("kubeConfigPath", STRING),
                    "tlsBootstrapToken", STRING),
            "controlPlane",
            object("localAPIEndpoint", ENDPOINT, "certificateKey", STRING),
            "skipPhases",
            STRINGS,
            "patches",
            PATCHES,
            "timeouts",
            TIMEOUTS);

    private static final Schema.Fields RESET = object(
            "cleanupTmpDir",
            BOOL,
            "certificatesDir",
            STRING,
            "criSocket",
            STRING,
            "dryRun",
            BOOL,
            "force",
            BOOL,
            "ignorePreflightErrors",
            STRINGS,
            "skipPhases",
            STRINGS,
            "unmountFlags",
            STRINGS,
            "timeouts",
            TIMEOUTS);

    private static final Schema.Fields UPGRADE_NODE = object(
            "certificateRenewal",
            BOOL,
            "dryRun",
            BOOL,
            "etcdUpgrade",
            BOOL,
            "ignorePreflightErrors",
            STRINGS,
            "patches",
            PATCHES,
            "skipPhases",
            STRINGS,
            "imagePullPolicy",
            STRING,
            "imagePullSerial",
            BOOL);

    private static final Schema.Fields UPGRADE = object(
            "apply",
                    UPGRADE_NODE.with(
                            "kubernetesVersion",
                            STRING,
                            "allowExperimentalUpgrades",
                            BOOL,
                            "allowRCUpgrades",
                            BOOL,
                            "forceUpgrade",
                            BOOL,
                            "printConfig",
                            BOOL),
            "node", UPGRADE_NODE,
            "plan",
                    object(
                            "kubernetesVersion",
                            STRING,
                            "allowExperimentalUpgrades",
                            BOOL,
                            "allowRCUpgrades",
                            BOOL,
                            "dryRun",
                            BOOL,
                            "etcdUpgrade",
                            BOOL,
                            "ignorePreflightErrors",
                            STRINGS,
                            "printConfig",
                            BOOL),
            "diff", object("kubernetesVersion", STRING, "contextLines", INT),
            "timeouts", TIMEOUTS);

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
        Map<String, Schema> fields = new LinkedHashMap<>();
        v1beta4.fields()
                .forEach((name, schema) -> fields.put(
                        name,
                        schema.equals(ARGS)
                                ? list(object(
                                        "name", STRING, "value", STRING, MERGE_METHOD, STRING))
                                : schema instanceof Schema.Fields nested ? v1(nested) : schema));
        return new Schema.Fields(fields);
    }

    /** Arguments were maps, and what came with v1beta4 is absent. */
    private static Map<String, Schema.Fields> v1beta3() {
        Schema.MapOf argMap = map(STRING);
        Schema.Fields node =
                NODE_REGISTRATION.without("imagePullSerial").with("kubeletExtraArgs", argMap);
        Schema.Fields component = COMPONENT.without("extraEnvs").with("extraArgs", argMap);
        Schema.Fields discovery = (Schema.Fields) JOIN.fields().get("discovery");
        return Map.of(
                Document.INIT, INIT.without("dryRun", "timeouts").with("nodeRegistration", node),
                Document.CLUSTER,
                        CLUSTER.without(
                                        "encryptionAlgorithm",
                                        "certificateValidityPeriod",
                                        "caCertificateValidityPeriod",
                                        "proxy")
                                .with(
                                        "apiServer",
                                        component.with(
                                                "certSANs",
                                                STRINGS,
                                                "timeoutForControlPlane",
                                                DURATION),
                                        "controllerManager",
                                        component,
                                        "scheduler",
                                        component,
                                        "dns",
                                        object("imageRepository", STRING, "imageTag", STRING),
                                        "etcd",
                                        object(
                                                "local",
                                                        LOCAL_ETCD
                                                                .without("extraEnvs")
                                                                .with("extraArgs", argMap),
                                                "external",
                                                        EXTERNAL_ETCD.without("httpEndpoints"))),
                Document.JOIN,
                        JOIN.without("dryRun", "timeouts")
                                .with(
                                        "nodeRegistration",
                                        node,
                                        "discovery",
                                        discovery.with("timeout", DURATION)));
    }
}
