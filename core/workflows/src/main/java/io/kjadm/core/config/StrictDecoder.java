package io.kjadm.core.config;

import io.kjadm.core.error.UsageException;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Lets documents in: known group, version and kind, known fields, values of the right type. */
final class StrictDecoder {

    /** Versions that are gone, each with the release of kubeadm that still converts them. */
    private static final Map<String, String> RETIRED = Map.of(
            "v1beta2",
            "v1.22",
            "v1beta1",
            "v1.15",
            "v1alpha3",
            "v1.14",
            "v1alpha2",
            "v1.12",
            "v1alpha1",
            "v1.11");

    /** The release of kubeadm that still converts v1beta3, which kubeadm 1.37 does not read. */
    private static final String CONVERTS_V1BETA3 = "v1.35";

    private final boolean strict;
    private final boolean deprecationNotices;
    private final Versions versions;
    private final Consumer<String> warnings;

    /**
     * Makes a gate.
     *
     * @param strict whether unknown and repeated fields are errors, or warnings
     * @param deprecationNotices whether to say that a version is deprecated
     */
    StrictDecoder(boolean strict, boolean deprecationNotices, Consumer<String> warnings) {
        this(strict, deprecationNotices, Versions.USUAL, warnings);
    }

    private StrictDecoder(
            boolean strict,
            boolean deprecationNotices,
            Versions versions,
            Consumer<String> warnings) {
        this.strict = strict;
        this.deprecationNotices = deprecationNotices;
        this.versions = versions;
        this.warnings = warnings;
    }

    /** Which versions of the kubeadm kinds are let in. */
    enum Versions {
        /** v1beta4, and v1beta3 with a notice. */
        USUAL,
        /** The experimental v1 as well. */
        WITH_EXPERIMENTAL,
        /** What kubeadm 1.37 reads: not v1beta3. */
        WITHOUT_V1BETA3
    }

    /** The same for other versions. */
    StrictDecoder letting(Versions others) {
        return new StrictDecoder(strict, deprecationNotices, others, warnings);
    }

    /** Refuses what is unknown altogether, all of it at once. */
    void checkKnown(List<Document> documents) {
        documents.forEach(this::refuseVersion);
        List<String> unknown = documents.stream()
                .filter(document -> schema(document).isEmpty())
                .map(document -> "%s %s".formatted(document.apiVersion(), document.kind()))
                .toList();
        if (!unknown.isEmpty()) {
            throw new UsageException(
                    "unknown kinds of configuration in " + documents.getFirst().source(),
                    String.join(", ", unknown),
                    "use " + Document.KUBEADM_GROUP + "/" + Document.V1BETA4);
        }
    }

    /** The document in the shape of the current version, its tree checked. */
    Document check(Document document) {
        refuseVersion(document);
        Schema.Fields schema = schema(document).orElseThrow(() -> unregistered(document));
        if (document.version().equals(Document.V1BETA3) && deprecationNotices) {
            warnings.accept("%s of %s uses the deprecated %s; convert it with config migrate"
                    .formatted(document.kind(), document.source(), document.apiVersion()));
        }
        SchemaCheck check = new SchemaCheck(document);
        Map<String, Object> tree = check.tree(schema);
        report(document, check.findings());
        return document.inCurrentVersion(
                document.version().equals(Document.V1BETA3) ? V1Beta3.toV1Beta4(tree) : tree);
    }

    private void report(Document document, List<String> findings) {
        if (strict && !findings.isEmpty()) {
            throw new UsageException(
                    "%s in %s is invalid".formatted(document.kind(), document.source()),
                    String.join("; ", findings),
                    "");
        }
        findings.forEach(warnings);
    }

    private static Optional<Schema.Fields> schema(Document document) {
        return switch (document.group()) {
            case Document.KUBEADM_GROUP -> Schemas.kubeadm(document.version(), document.kind());
            case Document.KUBELET_GROUP ->
                component(document, "v1beta1", Document.KUBELET, ComponentSchemas.KUBELET);
            case Document.KUBE_PROXY_GROUP ->
                component(document, "v1alpha1", Document.KUBE_PROXY, ComponentSchemas.KUBE_PROXY);
            default -> Optional.empty();
        };
    }

    private static Optional<Schema.Fields> component(
            Document document, String version, String kind, Schema.Fields schema) {
        return document.version().equals(version) && document.kind().equals(kind)
                ? Optional.of(schema)
                : Optional.empty();
    }

    /** In kubeadm's words ({@code cmd/kubeadm/app/util/config/common.go}). */
    private void refuseVersion(Document document) {
        if (!document.group().equals(Document.KUBEADM_GROUP)) {
            return;
        }
        String release =
                document.version().equals(Document.V1BETA3) && versions == Versions.WITHOUT_V1BETA3
                        ? CONVERTS_V1BETA3
                        : RETIRED.get(document.version());
        if (release != null) {
            throw new UsageException(
                    "your configuration file uses an old API spec: \"%s\" (kind: \"%s\")"
                            .formatted(document.apiVersion(), document.kind()),
                    "%s has it, and it is no longer supported".formatted(document.source()),
                    "please use kubeadm %s instead and run 'kubeadm config migrate --old-config old-config-file --new-config new-config-file', which will write the new, similar spec using a newer API version"
                            .formatted(release));
        }
        if (document.version().equals(Document.V1) && versions != Versions.WITH_EXPERIMENTAL) {
            throw new UsageException(
                    "experimental API spec: \"%s\" (kind: \"%s\") is not allowed. You can use the --allow-experimental-api flag if the command supports it"
                            .formatted(document.apiVersion(), document.kind()),
                    "%s has it".formatted(document.source()),
                    "or write it as %s/%s".formatted(Document.KUBEADM_GROUP, Document.V1BETA4));
        }
    }

    private static UsageException unregistered(Document document) {
        boolean component = document.group().equals(Document.KUBELET_GROUP)
                || document.group().equals(Document.KUBE_PROXY_GROUP);
        return new UsageException(
                "%s of %s in %s cannot be read"
                        .formatted(document.kind(), document.apiVersion(), document.source()),
                "there is no such version or kind",
                component
                        ? "convert it by hand to kubelet.config.k8s.io/v1beta1 or "
                                + "kubeproxy.config.k8s.io/v1alpha1"
                        : "use " + Document.KUBEADM_GROUP + "/" + Document.V1BETA4);
    }
}
