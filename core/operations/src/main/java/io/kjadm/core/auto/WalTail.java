package io.kjadm.core.auto;

import io.kjadm.core.host.HostFiles;
import io.kjadm.core.host.KubernetesPaths;
import io.kjadm.etcd.MemberIds;
import io.kjadm.etcd.check.WalReader;
import io.kjadm.etcd.check.WalReader.DamagedException;
import io.kjadm.etcd.check.WireMessage;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Whose a write-ahead log is, and how far it goes. The newest file tells both: each begins with the
 * owner and the state of raft.
 *
 * @param index of the last entry
 * @param term  of raft
 */
record WalTail(MemberIds ids, long term, long index) {

    private static final String ENDING = ".wal";
    private static final int HEXADECIMAL = 16;

    /** Where the messages of raft have these numbers. */
    private static final int ENTRY_TERM = 2;

    private static final int ENTRY_INDEX = 3;
    private static final int SNAPSHOT_INDEX = 1;
    private static final int SNAPSHOT_TERM = 2;
    private static final int STATE_TERM = 1;

    /** Whether a data directory has a log. */
    static boolean isIn(HostFiles files, Path dataDir) {
        return !log(files, dataDir).isEmpty();
    }

    private static List<Path> log(HostFiles files, Path dataDir) {
        return files.list(dataDir.resolve(KubernetesPaths.ETCD_MEMBER).resolve("wal")).stream()
                .filter(path -> path.toString().endsWith(ENDING))
                .toList();
    }

    /**
     * That in a data directory; empty if there is none.
     *
     * @throws DamagedException if it does not even tell whose it is
     * @throws IOException      if it cannot be read
     */
    static Optional<WalTail> read(HostFiles files, Path dataDir)
            throws DamagedException, IOException {
        List<Path> log = log(files, dataDir);
        if (log.isEmpty()) {
            return Optional.empty();
        }
        MemberIds ids;
        try (InputStream file = files.open(log.getLast())) {
            ids = WalReader.ids(file);
        }
        End end = new End(before(log.getLast()));
        try (InputStream file = files.open(log.getLast())) {
            WalReader.visit(file, end);
        } catch (DamagedException e) {
            // the newest file ends where etcd was writing
        }
        return Optional.of(new WalTail(ids, end.term, end.index));
    }

    /** The entry before the first one of a file: {@code 0000000000000001-00000000000186a1.wal}. */
    private static long before(Path file) {
        String name = file.getFileName().toString();
        try {
            long first = Long.parseLong(
                    name, name.indexOf('-') + 1, name.length() - ENDING.length(), HEXADECIMAL);
            // that of a new log is 0, though the first entry has number 1
            return Math.max(0, first - 1);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static final class End implements WalReader.Visitor {
        private long index;
        private long term;

        End(long index) {
            this.index = index;
        }

        @Override
        public void entry(WireMessage entry) {
            index = entry.number(ENTRY_INDEX).orElse(0);
            term = Math.max(term, entry.number(ENTRY_TERM).orElse(0));
        }

        @Override
        public void snapshot(WireMessage snapshot) {
            index = Math.max(index, snapshot.number(SNAPSHOT_INDEX).orElse(0));
            term = Math.max(term, snapshot.number(SNAPSHOT_TERM).orElse(0));
        }

        @Override
        public void state(WireMessage state) {
            term = Math.max(term, state.number(STATE_TERM).orElse(0));
        }
    }
}
