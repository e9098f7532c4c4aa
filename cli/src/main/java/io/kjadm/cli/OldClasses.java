package io.kjadm.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Enumeration;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * What the build runs over libraries that were compiled for Java 5: an AOT cache takes classes from Java 6
 * on only, and parsing and verifying picocli's was most of the start-up. The version number is raised, the
 * code stays: Java 6 class files may do without stack maps as well. Nothing here is used on a node.
 */
final class OldClasses {

    private static final int MAGIC_AND_MINOR = 6;
    private static final int JAVA_5 = 49;
    private static final int JAVA_6 = 50;

    private OldClasses() {}

    public static void main(String[] jars) throws IOException {
        for (String jar : jars) {
            raise(Path.of(jar));
        }
    }

    private static void raise(Path jar) throws IOException {
        Path raised = jar.resolveSibling(jar.getFileName() + ".raised");
        try (ZipFile from = new ZipFile(jar.toFile());
                ZipOutputStream to = new ZipOutputStream(Files.newOutputStream(raised))) {
            Enumeration<? extends ZipEntry> entries = from.entries();
            while (entries.hasMoreElements()) {
                ZipEntry entry = entries.nextElement();
                byte[] content = from.getInputStream(entry).readAllBytes();
                to.putNextEntry(new ZipEntry(entry.getName()));
                to.write(entry.getName().endsWith(".class") ? raised(content) : content);
                to.closeEntry();
            }
        }
        Files.move(raised, jar, StandardCopyOption.REPLACE_EXISTING);
    }

    private static byte[] raised(byte[] classFile) {
        int major = (classFile[MAGIC_AND_MINOR] & 0xff) << 8 | classFile[MAGIC_AND_MINOR + 1] & 0xff;
        if (major == JAVA_5) {
            classFile[MAGIC_AND_MINOR + 1] = JAVA_6;
        }
        return classFile;
    }
}
