package io.kjadm.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class SbomTest {

    private static final String HASH_OF_A =
            "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";
    private static final String MAVENS = """
            {"bomFormat": "CycloneDX", "specVersion": "1.6",
             "metadata": {"component":
               {"bom-ref": "p", "name": "program", "version": "1"}},
             "components": [
               {"bom-ref": "a", "name": "plain", "version": "1",
                "hashes": [{"alg": "MD5", "content": "x"}, {"alg": "SHA-256", "content": "%s"}]},
               {"bom-ref": "b", "name": "rewritten", "version": "1",
                "hashes": [{"alg": "SHA-256", "content": "00"}]},
               {"bom-ref": "c", "name": "unused", "version": "1"}],
             "dependencies": [
               {"ref": "p", "dependsOn": ["a", "c"]},
               {"ref": "a", "dependsOn": ["b", "c"]},
               {"ref": "c", "dependsOn": ["b"]}]}
            """.formatted(HASH_OF_A);

    @TempDir
    private Path libraries;

    @BeforeEach
    void packThree() throws IOException {
        for (String jar : List.of("program-1.jar", "plain-1.jar", "rewritten-1.jar")) {
            Files.writeString(libraries.resolve(jar), "a");
        }
    }

    @Test
    void holdsWhatIsPackedAndTheRuntime() throws IOException {
        JsonNode bom = bom();
        assertEquals(
                List.of("plain", "rewritten", "openjdk"),
                bom.get("components")
                        .valueStream()
                        .map(node -> node.get("name").asText())
                        .toList());
        assertEquals(
                System.getProperty("java.runtime.version"),
                bom.get("components").get(2).get("version").asText());
        assertEquals(new ObjectMapper().readTree("""
                        [{"ref": "p", "dependsOn": ["a", "openjdk-runtime"]},
                         {"ref": "a", "dependsOn": ["b"]},
                         {"ref": "openjdk-runtime", "dependsOn": []}]
                        """), bom.get("dependencies"));
    }

    @Test
    void hashesAreThoseOfThePackedFiles() throws IOException {
        JsonNode components = bom().get("components");
        assertEquals(List.of(HASH_OF_A), components.get(0).findValuesAsText("content"));
        assertEquals(List.of(HASH_OF_A), components.get(1).findValuesAsText("content"));
        assertFalse(components.get(0).has("pedigree"));
        String notes = components.get(1).get("pedigree").get("notes").asText();
        assertTrue(notes.startsWith("The build rewrites this jar, "), notes);
    }

    @Test
    void noJarIsPackedUnseen() throws IOException {
        Files.writeString(libraries.resolve("stranger-1.jar"), "a");
        IllegalStateException refused = assertThrows(IllegalStateException.class, this::bom);
        assertEquals("not in the bill of materials: [stranger-1.jar]", refused.getMessage());
    }

    private JsonNode bom() throws IOException {
        return new Sbom(libraries).ofPackage(new ObjectMapper().readTree(MAVENS));
    }
}
