package io.kjadm.core.etcd;

import io.kjadm.core.error.HostException;
import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether a process on this machine uses an etcd's data: etcd holds a lock on its database as long
 * as it runs (bbolt's {@code flock}), and the kernel tells who holds locks on what
 * ({@code proc_locks(5)}). It finds an etcd that is no static pod of this node, too.
 */
public final class DataInUse {

    private static final Path LOCKS = Path.of("/proc/locks");
    /** {@code 1: FLOCK  ADVISORY  WRITE 4711 fe:00:2154501 0 EOF}; one that waits has an arrow. */
    private static final Pattern LOCK =
            Pattern.compile("\\d+: \\w+\\s+\\w+\\s+\\w+\\s+(?<process>-?\\d+) (?<file>\\S+) ");

    private final HostFiles files;

    public DataInUse(HostFiles files) {
        this.files = files;
    }

    /**
     * "process 4711 (etcd) has /var/lib/etcd/member/snap/db open"; empty if nobody has, or the
     * kernel does not tell.
     */
    public Optional<String> by(Path dataDir) {
        Path database = dataDir.resolve(KubernetesPaths.ETCD_MEMBER).resolve("snap/db");
        return files.fileId(database)
                .flatMap(this::holder)
                .map(process ->
                        "process %s%s has %s open".formatted(process, name(process), database));
    }

    private Optional<String> holder(String file) {
        List<Matcher> locks = files.read(LOCKS).stream()
                .flatMap(String::lines)
                .map(LOCK::matcher)
                .filter(Matcher::lookingAt)
                .toList();
        return locks.stream()
                .filter(lock -> lock.group("file").equals(file)
                        || inode(lock.group("file")).equals(inode(file))
                                && hasOpen(lock.group("process"), file))
                .map(lock -> lock.group("process"))
                .findFirst();
    }

    private static String inode(String file) {
        return file.substring(file.lastIndexOf(':') + 1);
    }

    /**
     * On btrfs and overlay file systems the device in the list of locks is another one than
     * {@code stat} tells, so the files that the process has open are compared.
     */
    private boolean hasOpen(String process, String file) {
        try {
            return files.list(Path.of("/proc", process, "fd")).stream()
                    .anyMatch(open -> files.fileId(open).filter(file::equals).isPresent());
        } catch (HostException e) {
            // it has ended
            return false;
        }
    }

    private String name(String process) {
        return files.read(Path.of("/proc", process, "comm"))
                .map(name -> " (%s)".formatted(name.strip()))
                .orElse("");
    }
}
