package io.kjadm.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.bouncycastle.asn1.x500.X500Name;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.net.URL;
import java.net.URLClassLoader;
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
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

class AotJarsTest {

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

    private Path rewritten(Class<?> from) throws Exception {
        Path jar = folder.resolve("library.jar");
        Files.copy(
                Path.of(from.getProtectionDomain().getCodeSource().getLocation().toURI()),
                jar,
                StandardCopyOption.REPLACE_EXISTING);
        AotJars.main(new String[] {jar.toString()});
        return jar;
    }

    private static List<? extends ZipEntry> classes(ZipFile file) {
        return file.stream()
                .filter(entry -> entry.getName().endsWith(".class")
                        && !entry.getName().endsWith("module-info.class"))
                .toList();
    }
}
