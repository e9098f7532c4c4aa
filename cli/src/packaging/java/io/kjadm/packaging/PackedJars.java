package io.kjadm.packaging;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.ConstantPoolSharingOption;
import java.lang.classfile.ClassFile.DeadCodeOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassFileElement;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.FieldTransform;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.attribute.RuntimeInvisibleAnnotationsAttribute;
import java.lang.classfile.attribute.RuntimeInvisibleParameterAnnotationsAttribute;
import java.lang.classfile.attribute.RuntimeInvisibleTypeAnnotationsAttribute;
import java.lang.classfile.instruction.LocalVariable;
import java.lang.classfile.instruction.LocalVariableType;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * What the build runs over packed jars. An AOT cache takes their classes then; it refuses two kinds,
 * which every start would read, verify and compile:
 *
 * <ul>
 *   <li>classes compiled for Java 5 or 6 (picocli's), which the old verifier has to verify: they
 *   get the stack maps of today's class files;
 *   <li>classes of signed jars (bouncycastle's): the signature is left out; whoever can exchange a
 *   jar of the package can exchange the program too, and OpenJDK asks no signature of a provider.
 * </ul>
 *
 * What only compilers and debuggers read is left out, a tenth of a jar. Of a library that has much
 * more than the program uses, only the classes that it reaches are kept ({@link ReachedClasses}). An
 * entry is left with nothing of the build: neither its time nor, by the umask, its mode.
 *
 * <p>Nothing here is used on a node.
 */
public final class PackedJars {

    private static final Pattern SIGNATURE = Pattern.compile("META-INF/[^/]+\\.(SF|RSA|DSA|EC)");

    private static final ClassFile SAME_CODE = ClassFile.of(
            ConstantPoolSharingOption.NEW_POOL,
            StackMapsOption.DROP_STACK_MAPS,
            DeadCodeOption.KEEP_DEAD_CODE);

    private static final String REACHED_FROM = "--reached-from=";

    /** As Gradle has it: earlier ones are also written in another form, by the time zone. */
    private static final LocalDateTime EARLIEST = LocalDateTime.of(1980, 2, 1, 0, 0);

    /** Of annotations, for containers that inject; as large as a tenth of the classes. */
    private static final String INDEX = "META-INF/jandex.idx";

    private static final String SERVICES = "META-INF/services/";

    private PackedJars() {}

    /**
     * Rewrites jars in place.
     *
     * @param arguments the jars; or {@code --reached-from=PREFIX} first: only what the jars of the same
     *     folder whose names begin so reach is kept of the others
     */
    public static void main(String[] arguments) throws IOException {
        List<Path> jars = Stream.of(arguments)
                .filter(argument -> !argument.startsWith(REACHED_FROM))
                .map(Path::of)
                .toList();
        Optional<ReachedClasses> reached = arguments[0].startsWith(REACHED_FROM)
                ? Optional.of(reached(
                        jars.getFirst().getParent(), arguments[0].substring(REACHED_FROM.length())))
                : Optional.empty();
        jars.parallelStream().forEach(jar -> {
            try {
                rewrite(jar, reached);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot rewrite " + jar, e);
            }
        });
    }

    private static ReachedClasses reached(Path folder, String prefix) throws IOException {
        List<Path> roots = new ArrayList<>();
        List<Path> libraries = new ArrayList<>();
        try (var jars = Files.newDirectoryStream(folder, "*.jar")) {
            for (Path jar : jars) {
                (jar.getFileName().toString().startsWith(prefix) ? roots : libraries).add(jar);
            }
        }
        return ReachedClasses.of(roots, libraries);
    }

    private static void rewrite(Path jar, Optional<ReachedClasses> reached) throws IOException {
        Path rewritten = jar.resolveSibling(jar.getFileName() + ".rewritten");
        try (ZipFile from = new ZipFile(jar.toFile());
                URLClassLoader classes =
                        new URLClassLoader(new URL[] {jar.toUri().toURL()}, null);
                ZipOutputStream to = new ZipOutputStream(Files.newOutputStream(rewritten))) {
            ClassFile files = ClassFile.of(ClassHierarchyResolverOption.of(
                    ClassHierarchyResolver.ofResourceParsing(classes)
                            .orElse(ClassHierarchyResolver.defaultResolver())));
            List<? extends ZipEntry> entries = from.stream().toList();
            boolean signed = entries.stream().anyMatch(PackedJars::isSignature);
            for (ZipEntry entry : entries) {
                byte[] content = from.getInputStream(entry).readAllBytes();
                if (isSignature(entry)
                        || entry.getName().equals(INDEX)
                        || reached.filter(classesOf -> !needed(classesOf, entry, content))
                                .isPresent()) {
                    continue;
                }
                to.putNextEntry(timeless(entry.getName()));
                if (entry.getName().endsWith(".class")) {
                    to.write(withoutDebugging(raised(files, content)));
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

    /** A service whose class is left out is not offered either. */
    private static boolean needed(ReachedClasses reached, ZipEntry entry, byte[] content) {
        return entry.getName().startsWith(SERVICES) && !entry.isDirectory()
                ? new String(content, StandardCharsets.UTF_8).lines().allMatch(reached::needsType)
                : reached.needs(entry.getName());
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

    /** Without what only compilers and debuggers read. The lines stay: stack traces tell them. */
    private static byte[] withoutDebugging(byte[] content) {
        return SAME_CODE.transformClass(
                SAME_CODE.parse(content),
                ClassTransform.dropping(PackedJars::forDebugging)
                        .andThen(ClassTransform.transformingFields(
                                FieldTransform.dropping(PackedJars::forDebugging)))
                        .andThen(ClassTransform.transformingMethods((method, element) -> {
                            if (element instanceof CodeAttribute code) {
                                method.transformCode(code, withoutDebugging(code));
                            } else if (!forDebugging(element)) {
                                method.with(element);
                            }
                        })));
    }

    /** The stack map is taken over: it is right, and to make it again takes other jars' classes. */
    private static CodeTransform withoutDebugging(CodeAttribute code) {
        return new CodeTransform() {
            @Override
            public void accept(CodeBuilder builder, CodeElement element) {
                if (!forDebugging(element)) {
                    builder.with(element);
                }
            }

            @Override
            public void atEnd(CodeBuilder builder) {
                code.findAttribute(Attributes.stackMapTable()).ifPresent(builder::with);
            }
        };
    }

    private static boolean forDebugging(ClassFileElement element) {
        return element instanceof LocalVariable
                || element instanceof LocalVariableType
                || element instanceof RuntimeInvisibleAnnotationsAttribute
                || element instanceof RuntimeInvisibleParameterAnnotationsAttribute
                || element instanceof RuntimeInvisibleTypeAnnotationsAttribute;
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
