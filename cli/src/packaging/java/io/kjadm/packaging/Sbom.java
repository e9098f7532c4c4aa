package io.kjadm.packaging;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the build runs to turn Maven's bill of materials (CycloneDX, JSON) into the package's: what
 * is not packed is left out, the hashes are those of the packed files, and the runtime is in it.
 * It runs on the packed runtime, and describes that. Nothing here is used on a node.
 */
public final class Sbom {

    private static final ObjectMapper JSON =
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    private static final String RUNTIME = "openjdk-runtime";

    private final Path libraries;

    /** @param libraries folder of the packed jars */
    Sbom(Path libraries) {
        this.libraries = libraries;
    }

    /** @param arguments Maven's file, the folder of the packed jars, and the file to write */
    public static void main(String[] arguments) throws IOException {
        JsonNode bom = JSON.readTree(Path.of(arguments[0]).toFile());
        String text = JSON.writeValueAsString(new Sbom(Path.of(arguments[1])).ofPackage(bom));
        Files.writeString(Path.of(arguments[2]), text + "\n");
    }

    /**
     * The bill of the package.
     *
     * @throws IllegalStateException if a packed jar is not in Maven's
     */
    ObjectNode ofPackage(JsonNode mavens) throws IOException {
        ObjectNode bom = mavens.deepCopy();
        Set<String> unknown = jars();
        Set<String> leftOut = new HashSet<>();
        for (JsonNode component : bom.withArray("components")) {
            if (!unknown.remove(jar(component))) {
                leftOut.add(reference(component));
            }
        }
        JsonNode program = bom.path("metadata").path("component");
        unknown.remove(jar(program));
        if (!unknown.isEmpty()) {
            throw new IllegalStateException("not in the bill of materials: " + unknown);
        }
        removeIf(bom.withArray("components"), node -> leftOut.contains(reference(node)));
        for (JsonNode component : bom.withArray("components")) {
            describeFile((ObjectNode) component);
        }
        describeFile((ObjectNode) program);
        bom.withArray("components").add(runtime());
        prune(bom.withArray("dependencies"), leftOut, reference(program));
        return bom;
    }

    private static void prune(ArrayNode dependencies, Set<String> leftOut, String program) {
        removeIf(dependencies, node -> leftOut.contains(node.path("ref").asText()));
        for (JsonNode dependency : dependencies) {
            removeIf(
                    ((ObjectNode) dependency).withArray("dependsOn"),
                    node -> leftOut.contains(node.asText()));
            if (dependency.path("ref").asText().equals(program)) {
                ((ObjectNode) dependency).withArray("dependsOn").add(RUNTIME);
            }
        }
        dependencies.addObject().put("ref", RUNTIME).putArray("dependsOn");
    }

    /** Maven knows the hashes of the published file; some are rewritten by the build. */
    private void describeFile(ObjectNode component) throws IOException {
        String packed = sha256(libraries.resolve(jar(component)));
        boolean asPublished =
                component.path("hashes").findValuesAsText("content").contains(packed);
        if (!asPublished && component.has("hashes")) {
            component
                    .putObject("pedigree")
                    .put(
                            "notes",
                            "The build rewrites this jar, without signatures, times, modes, indexes and classes"
                                    + " that the program does not reach, and raises class files of Java 5 and 6");
        }
        component.putArray("hashes").addObject().put("alg", "SHA-256").put("content", packed);
    }

    private static ObjectNode runtime() {
        String version = System.getProperty("java.version");
        String build = System.getProperty("java.runtime.version");
        ObjectNode runtime =
                JSON.createObjectNode().put("type", "platform").put("bom-ref", RUNTIME);
        runtime.putObject("supplier").put("name", System.getProperty("java.vendor"));
        runtime.put("name", "openjdk")
                .put("version", build)
                .put("description", "Java runtime, linked from the modules that the program needs");
        runtime.putArray("licenses")
                .addObject()
                .put("expression", "GPL-2.0-only WITH Classpath-exception-2.0");
        return runtime.put("cpe", "cpe:2.3:a:oracle:openjdk:%s:*:*:*:*:*:*:*".formatted(version))
                .put(
                        "purl",
                        "pkg:generic/openjdk@" + URLEncoder.encode(build, StandardCharsets.UTF_8));
    }

    private Set<String> jars() throws IOException {
        try (Stream<Path> files = Files.list(libraries)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".jar"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static String jar(JsonNode component) {
        return "%s-%s.jar"
                .formatted(
                        component.path("name").asText(),
                        component.path("version").asText());
    }

    private static String reference(JsonNode component) {
        return component.path("bom-ref").asText();
    }

    private static void removeIf(ArrayNode nodes, Predicate<JsonNode> unwanted) {
        for (int i = nodes.size() - 1; i >= 0; i--) {
            if (unwanted.test(nodes.get(i))) {
                nodes.remove(i);
            }
        }
    }

    private static String sha256(Path file) throws IOException {
        try {
            return HexFormat.of()
                    .formatHex(
                            MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
