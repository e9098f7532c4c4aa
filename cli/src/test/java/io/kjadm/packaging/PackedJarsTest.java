package io.kjadm.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;

import org.bouncycastle.asn1.x500.X500Name;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.attribute.CodeAttribute;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

class PackedJarsTest {

    @TempDir
    private Path folder;

    @Test
    void givesOldClassesWhatTodaysVerifierWants() throws Exception {
        Path jar = rewritten(CommandLine.class);

        try (ZipFile file = new ZipFile(jar.toFile());
                URLClassLoader loader =
                        new URLClassLoader(new URL[] {jar.toUri().toURL()}, null)) {
            for (ZipEntry entry : classes(file)) {
                try (InputStream content = file.getInputStream(entry)) {
                    assertTrue(
                            ClassFile.of().parse(content.readAllBytes()).majorVersion()
                                    >= ClassFile.JAVA_8_VERSION,
                            entry.getName());
                }
            }
            // verified as it is initialized
            assertNotNull(Class.forName("picocli.CommandLine$Model$OptionSpec", true, loader));
        }
    }

    @Test
    void leavesSignaturesAndDigestsOut() throws Exception {
        Path jar = rewritten(X500Name.class);

        try (JarFile file = new JarFile(jar.toFile())) {
            assertEquals(
                    List.of(),
                    file.stream()
                            .map(ZipEntry::getName)
                            .filter(name -> name.matches("META-INF/[^/]+\\.(SF|RSA|DSA|EC)"))
                            .toList());
            assertNotNull(file.getEntry("org/bouncycastle/asn1/x500/X500Name.class"));
            assertEquals(Map.of(), file.getManifest().getEntries());
            assertEquals("true", file.getManifest().getMainAttributes().getValue("Multi-Release"));
        }
    }

    @Test
    void givesTheSameBytesInAnyTimeZone() throws Exception {
        TimeZone here = TimeZone.getDefault();
        Set<String> contents = new HashSet<>();
        try {
            for (String zone : List.of("UTC", "Pacific/Kiritimati", "America/New_York")) {
                TimeZone.setDefault(TimeZone.getTimeZone(zone));
                contents.add(
                        HexFormat.of().formatHex(Files.readAllBytes(rewritten(X500Name.class))));
            }
        } finally {
            TimeZone.setDefault(here);
        }
        assertEquals(1, contents.size());
    }

    @Test
    void leavesOutWhatOnlyDebuggersRead() throws Exception {
        Path jar = rewritten(ObjectMapper.class);

        try (ZipFile file = new ZipFile(jar.toFile());
                InputStream content = file.getInputStream(
                        file.getEntry("com/fasterxml/jackson/databind/ObjectMapper.class"))) {
            var code = ClassFile.of().parse(content.readAllBytes()).methods().stream()
                    .flatMap(method -> method.code().stream())
                    .map(CodeAttribute.class::cast)
                    .toList();
            assertTrue(code.stream()
                    .allMatch(each ->
                            each.findAttribute(Attributes.lineNumberTable()).isPresent()
                                    && each.findAttribute(Attributes.localVariableTable())
                                            .isEmpty()));
        }
    }

    @SuppressWarnings("unused")
    private static final class Program {
        private List<Held> held;
        private final String name = "io.kjadm.packaging.PackedJarsTest$Named";

        Used used() {
            return new Used();
        }
    }

    private static class Used extends Above {}

    private static class Above {}

    /** Named by a signature alone. */
    private static final class Held {}

    /** Named by a text alone. */
    private static final class Named {}

    private static final class Unused {}

    @Test
    void keepsWhatTheProgramReachesOfALibrary() throws Exception {
        jar("program.jar", Program.class);
        Path library =
                jar("library.jar", Used.class, Above.class, Held.class, Named.class, Unused.class);

        PackedJars.main(new String[] {"--reached-from=program", library.toString()});

        try (ZipFile file = new ZipFile(library.toFile())) {
            assertEquals(
                    Set.of(
                            entry(Used.class),
                            entry(Above.class),
                            entry(Held.class),
                            entry(Named.class),
                            "META-INF/services/java.util.List"),
                    file.stream().map(ZipEntry::getName).collect(Collectors.toSet()));
        }
    }

    /** Two services are offered: the class of one is in use. */
    private Path jar(String name, Class<?>... classes) throws Exception {
        Path jar = folder.resolve(name);
        try (ZipOutputStream to = new ZipOutputStream(Files.newOutputStream(jar))) {
            for (Class<?> type : classes) {
                to.putNextEntry(new ZipEntry(entry(type)));
                try (InputStream content =
                        PackedJarsTest.class.getResourceAsStream("/" + entry(type))) {
                    content.transferTo(to);
                }
            }
            for (var offered : Map.of("List", Used.class, "Set", Unused.class).entrySet()) {
                to.putNextEntry(new ZipEntry("META-INF/services/java.util." + offered.getKey()));
                to.write(offered.getValue().getName().getBytes(StandardCharsets.UTF_8));
            }
        }
        return jar;
    }

    private static String entry(Class<?> type) {
        return type.getName().replace('.', '/') + ".class";
    }

    private Path rewritten(Class<?> from) throws Exception {
        Path jar = folder.resolve("library.jar");
        Files.copy(
                Path.of(from.getProtectionDomain().getCodeSource().getLocation().toURI()),
                jar,
                StandardCopyOption.REPLACE_EXISTING);
        PackedJars.main(new String[] {jar.toString()});
        return jar;
    }

    private static List<? extends ZipEntry> classes(ZipFile file) {
        return file.stream()
                .filter(entry -> entry.getName().endsWith(".class")
                        && !entry.getName().endsWith("module-info.class"))
                .toList();
    }
}
