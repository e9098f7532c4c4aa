package io.kjadm.packaging;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDateTime;
import java.util.List;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * What the build runs over packed jars, so that an AOT cache takes their classes. It refuses two
 * kinds, which every start would then read, verify and compile anew:
 *
 * <ul>
 *   <li>classes compiled for Java 5 or 6 (picocli's), which the old verifier has to verify: they
 *   get the stack maps of today's class files;
 *   <li>classes of signed jars (bouncycastle's): the signature is left out; whoever can exchange a
 *   jar of the package can exchange the program too, and OpenJDK asks no signature of a provider.
 * </ul>
 *
 * An entry is left with nothing of the build: neither its time nor, by the umask, its mode.
 *
 * <p>Nothing here is used on a node.
 */
public final class AotJars {

    private static final Pattern SIGNATURE = Pattern.compile("META-INF/[^/]+\\.(SF|RSA|DSA|EC)");

    /** As Gradle has it: earlier ones are also written in another form, by the time zone. */
    private static final LocalDateTime EARLIEST = LocalDateTime.of(1980, 2, 1, 0, 0);

    private AotJars() {}

    public static void main(String[] jars) throws IOException {
        for (String jar : jars) {
            rewrite(Path.of(jar));
        }
    }

    private static void rewrite(Path jar) throws IOException {
        Path rewritten = jar.resolveSibling(jar.getFileName() + ".rewritten");
        try (ZipFile from = new ZipFile(jar.toFile());
                URLClassLoader classes =
                        new URLClassLoader(new URL[] {jar.toUri().toURL()}, null);
                ZipOutputStream to = new ZipOutputStream(Files.newOutputStream(rewritten))) {
            ClassFile files = ClassFile.of(ClassHierarchyResolverOption.of(
                    ClassHierarchyResolver.ofResourceParsing(classes)
                            .orElse(ClassHierarchyResolver.defaultResolver())));
            List<? extends ZipEntry> entries = from.stream().toList();
            boolean signed = entries.stream().anyMatch(AotJars::isSignature);
            for (ZipEntry entry : entries) {
                if (isSignature(entry)) {
                    continue;
                }
                byte[] content = from.getInputStream(entry).readAllBytes();
                to.putNextEntry(timeless(entry.getName()));
                if (entry.getName().endsWith(".class")) {
                    to.write(raised(files, content));
                } else {
                    to.write(
                            signed && entry.getName().equals(JarFile.MANIFEST_NAME)
                                    ? withoutDigests(content)
                                    : content);
                }
                to.closeEntry();
            }
        }
        Files.move(rewritten, jar, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Left alone it would have the time of the build, and no two builds would be alike. */
    private static ZipEntry timeless(String name) {
        ZipEntry entry = new ZipEntry(name);
        entry.setTimeLocal(EARLIEST);
        return entry;
    }

    private static boolean isSignature(ZipEntry entry) {
        return SIGNATURE.matcher(entry.getName()).matches();
    }

    private static byte[] raised(ClassFile files, byte[] content) {
        ClassModel model = files.parse(content);
        if (model.majorVersion() > ClassFile.JAVA_6_VERSION) {
            return content;
        }
        return files.transformClass(
                model,
                ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL)
                        .andThen(ClassTransform.endHandler(
                                builder -> builder.withVersion(ClassFile.JAVA_8_VERSION, 0))));
    }

    /**
     * A signed jar's manifest lists the digest of every class: thousands of lines, parsed at every
     * start.
     */
    private static byte[] withoutDigests(byte[] manifest) throws IOException {
        Manifest kept = new Manifest(new ByteArrayInputStream(manifest));
        kept.getEntries().clear();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        kept.write(out);
        return out.toByteArray();
    }
}
