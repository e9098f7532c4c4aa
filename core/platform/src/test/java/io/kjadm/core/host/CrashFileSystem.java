package io.kjadm.core.host;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Set;
import java.util.stream.StreamSupport;

/**
 * A {@link CrashDisk} as the JDK's file system, for production's {@link DiskFiles}. Its paths are
 * those of the machine's own file system in all but what they lead to.
 */
public final class CrashFileSystem extends FileSystem {

    /** An account, by its number. */
    record Account(int number) implements GroupPrincipal {

        @Override
        public String getName() {
            return String.valueOf(number);
        }
    }

    private final CrashProvider provider;

    public CrashFileSystem(CrashDisk disk) {
        provider = new CrashProvider(disk, this);
    }

    @Override
    public FileSystemProvider provider() {
        return provider;
    }

    @Override
    public Path getPath(String first, String... more) {
        return path(Path.of(first, more));
    }

    /** This file system's path of that name. */
    Path path(Path plain) {
        return (Path) Proxy.newProxyInstance(
                CrashFileSystem.class.getClassLoader(),
                new Class<?>[] {Path.class},
                new PathHandler(plain));
    }

    /** The name of one of this file system's paths; anything else as it is. */
    static Object plain(Object value) {
        return value != null
                        && Proxy.isProxyClass(value.getClass())
                        && Proxy.getInvocationHandler(value) instanceof PathHandler handler
                ? handler.plain
                : value;
    }

    static Path plainPath(Path path) {
        return (Path) plain(path);
    }

    private final class PathHandler implements InvocationHandler {

        private final Path plain;

        private PathHandler(Path plain) {
            this.plain = plain;
        }

        @Override
        public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
            switch (method.getName()) {
                case "getFileSystem":
                    return CrashFileSystem.this;
                case "toRealPath":
                    return path(provider.real(plain));
                case "iterator":
                    return names();
                default:
                    Object[] values = arguments == null
                            ? null
                            : Arrays.stream(arguments)
                                    .map(CrashFileSystem::plain)
                                    .toArray();
                    try {
                        Object answer = method.invoke(plain, values);
                        return answer instanceof Path path ? path(path) : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
            }
        }

        private Iterator<Path> names() {
            return StreamSupport.stream(plain.spliterator(), false)
                    .map(CrashFileSystem.this::path)
                    .iterator();
        }
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        return new UserPrincipalLookupService() {
            @Override
            public UserPrincipal lookupPrincipalByName(String name) {
                return new Account(Integer.parseInt(name));
            }

            @Override
            public GroupPrincipal lookupPrincipalByGroupName(String group) {
                return new Account(Integer.parseInt(group));
            }
        };
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return Set.of("basic", "posix", "unix");
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return "/";
    }

    @Override
    public void close() throws IOException {
        throw new UnsupportedOperationException();
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return Set.of(getPath("/"));
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        throw new UnsupportedOperationException();
    }

    @Override
    public PathMatcher getPathMatcher(String pattern) {
        throw new UnsupportedOperationException();
    }

    @Override
    public WatchService newWatchService() {
        throw new UnsupportedOperationException();
    }
}
