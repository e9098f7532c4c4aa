package io.kjadm.packaging;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Which classes of some jars the program can load: those that its own classes name, those that these
 * name, and so on. A class counts as named where its name is anything in a class file: a type, a part of
 * a signature or an annotation, or a text that may be meant for {@code Class.forName}. A library that
 * puts names of classes together as it runs needs all of its classes.
 *
 * <p>Of a class that has a form for later versions of Java, each form counts.
 */
final class ReachedClasses {

    /**
     * Netty looks whether Bouncy Castle could provide algorithms for TLS, and goes on where its
     * provider is missing. The JDK's providers do all of it here.
     */
    private static final String NOT_FOLLOWED = "io/netty/handler/ssl/util/BouncyCastle";

    private static final String CLASS = ".class";
    private static final Pattern VERSION = Pattern.compile("META-INF/versions/\\d+/");
    private static final Pattern DESCRIPTOR = Pattern.compile("L([^;<>:()\\[]+)[;<]");

    private final Map<String, Set<String>> named = new HashMap<>();
    private final Set<String> reached = new HashSet<>();

    private ReachedClasses() {}

    /**
     * The names of the entries, such as {@code org/example/Type.class}, that are reached.
     *
     * @param roots jars of which every class counts
     * @param libraries the other jars
     */
    static ReachedClasses of(List<Path> roots, List<Path> libraries) throws IOException {
        ReachedClasses classes = new ReachedClasses();
        for (Path library : libraries) {
            classes.read(library);
        }
        Deque<String> open = new ArrayDeque<>();
        for (Path root : roots) {
            open.addAll(classes.read(root));
        }
        classes.reached.addAll(open);
        while (!open.isEmpty()) {
            String next = open.remove();
            if (!next.startsWith(NOT_FOLLOWED)) {
                classes.named.get(next).stream()
                        .filter(classes.named::containsKey)
                        .filter(classes.reached::add)
                        .forEach(open::add);
            }
        }
        return classes;
    }

    /** Whether an entry of a jar is needed: a class that is reached, or no class. */
    boolean needs(String entry) {
        return !entry.endsWith(CLASS) || module(entry) || reached.contains(name(entry));
    }

    /** The same of a class by its name in a text, such as {@code org.example.Type}. */
    boolean needsType(String name) {
        return reached.contains(name.replace('.', '/'));
    }

    private Set<String> read(Path jar) throws IOException {
        Set<String> here = new HashSet<>();
        try (ZipFile file = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : file.stream().toList()) {
                if (entry.getName().endsWith(CLASS) && !module(entry.getName())) {
                    String name = name(entry.getName());
                    here.add(name);
                    named.computeIfAbsent(name, _ -> new HashSet<>())
                            .addAll(names(file.getInputStream(entry).readAllBytes()));
                }
            }
        }
        return here;
    }

    private static boolean module(String entry) {
        return entry.endsWith("module-info.class");
    }

    private static String name(String entry) {
        return VERSION.matcher(entry.substring(0, entry.length() - CLASS.length()))
                .replaceFirst("");
    }

    private static Set<String> names(byte[] content) {
        Set<String> names = new HashSet<>();
        for (PoolEntry entry : ClassFile.of().parse(content).constantPool()) {
            if (entry instanceof Utf8Entry text) {
                names.add(text.stringValue().replace('.', '/'));
                Matcher descriptor = DESCRIPTOR.matcher(text.stringValue());
                while (descriptor.find()) {
                    names.add(descriptor.group(1));
                }
            }
        }
        return names;
    }
}
