package io.kjadm.core.host;

import io.kjadm.core.error.HostException;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The machine's own users and groups, for programs that need accounts nobody logs in with: finds
 * those that are there, plans those that are not, and appends the planned ones at the end. Hold
 * {@link #LOCK} from {@link #read} to {@link #save}.
 *
 * <p>Ids are the lowest free ones of the system's range in {@code /etc/login.defs}.
 */
public final class SystemAccounts {

    /** The lock of {@code lckpwdf(3)}, which all tools that change accounts take. */
    public static final Path LOCK = Path.of("/etc/.pwd.lock");

    private static final Path USERS = Path.of("/etc/passwd");
    private static final Path GROUPS = Path.of("/etc/group");
    private static final Path LIMITS = Path.of("/etc/login.defs");
    private static final String NO_LOGIN = "/bin/false";
    private static final String NEXT = "correct or remove that entry, then run the command again";

    private final HostFiles files;
    private final AccountTable users;
    private final AccountTable groups;

    private SystemAccounts(HostFiles files, AccountTable users, AccountTable groups) {
        this.files = files;
        this.users = users;
        this.groups = groups;
    }

    /** The accounts as they are now. */
    public static SystemAccounts read(HostFiles files) {
        Map<String, String> limits =
                files.read(LIMITS).map(SystemAccounts::limits).orElse(Map.of());
        return new SystemAccounts(
                files,
                new AccountTable(
                        USERS, files.read(USERS).orElse(""), IdRange.of(limits, "SYS_UID")),
                new AccountTable(
                        GROUPS, files.read(GROUPS).orElse(""), IdRange.of(limits, "SYS_GID")));
    }

    private static Map<String, String> limits(String text) {
        return text.lines()
                .map(line -> line.strip().split("\\s+", 2))
                .filter(words -> words.length == 2)
                .collect(Collectors.toMap(
                        words -> words[0], words -> words[1], (first, last) -> last));
    }

    /**
     * A group with exactly these members.
     *
     * @return its number
     * @throws HostException if a group of that name is another one
     */
    public int group(String name, Set<String> members) {
        Optional<List<String>> found = groups.entry(name);
        if (found.isEmpty()) {
            return groups.plan(
                    name,
                    id -> "%s:x:%d:%s"
                            .formatted(
                                    name,
                                    id,
                                    members.stream().sorted().collect(Collectors.joining(","))));
        }
        int gid = groups.idOf(found.get());
        String listed = field(found.get(), 3);
        Set<String> has = Arrays.stream(listed.split(","))
                .map(String::strip)
                .filter(member -> !member.isEmpty())
                .collect(Collectors.toSet());
        if (!has.equals(members)) {
            throw new HostException(
                    "group %s cannot be used".formatted(name),
                    "%s gives it the members %s instead of %s"
                            .formatted(GROUPS, sorted(has), sorted(members)),
                    NEXT);
        }
        return gid;
    }

    private static List<String> sorted(Set<String> names) {
        return names.stream().sorted().toList();
    }

    /**
     * A user who cannot log in and whose first group is that one.
     *
     * @return the user's number
     * @throws HostException if a user of that name is another one
     */
    public int user(String name, int gid) {
        Optional<List<String>> found = users.entry(name);
        if (found.isEmpty()) {
            return users.plan(
                    name, id -> "%s:x:%d:%d::/nonexistent:%s".formatted(name, id, gid, NO_LOGIN));
        }
        int uid = users.idOf(found.get());
        requireEqual(name, "the group", field(found.get(), 3), String.valueOf(gid));
        requireEqual(name, "the shell", field(found.get(), 6), NO_LOGIN);
        return uid;
    }

    private static void requireEqual(String user, String what, String found, String wanted) {
        if (!found.equals(wanted)) {
            throw new HostException(
                    "user %s cannot be used".formatted(user),
                    "%s gives it %s '%s' instead of '%s'".formatted(USERS, what, found, wanted),
                    NEXT);
        }
    }

    /** Adds what was planned; groups first, so that no user is ever without its own. */
    public void save() {
        groups.appendTo(files);
        users.appendTo(files);
    }

    private static String field(List<String> entry, int index) {
        return index < entry.size() ? entry.get(index) : "";
    }

    /** Numbers that the machine sets aside for accounts of programs. */
    private record IdRange(String key, int lowest, int highest) {

        private static final int LOWEST = 100;
        private static final int HIGHEST = 999;

        static IdRange of(Map<String, String> limits, String key) {
            return new IdRange(
                    key, limit(limits, key + "_MIN", LOWEST), limit(limits, key + "_MAX", HIGHEST));
        }

        private static int limit(Map<String, String> limits, String key, int otherwise) {
            String text = limits.get(key);
            if (text == null) {
                return otherwise;
            }
            try {
                // 0 is the superuser
                return Math.max(1, Integer.parseInt(text));
            } catch (NumberFormatException e) {
                throw new HostException(
                        "cannot determine the range of system accounts",
                        "%s of %s is '%s', which is not a number".formatted(key, LIMITS, text),
                        "correct the file, then run the command again",
                        e);
            }
        }

        boolean contains(int id) {
            return lowest <= id && id <= highest;
        }

        @Override
        public String toString() {
            return "%d to %d (%s_MIN and _MAX of %s)".formatted(lowest, highest, key, LIMITS);
        }
    }

    /** One of the two files: lines of fields, with the name first and the number third. */
    private static final class AccountTable {

        private static final int ID = 2;

        private final Path path;
        private final IdRange range;
        private final List<List<String>> entries;
        private final Set<Integer> taken;
        private final StringBuilder planned = new StringBuilder();

        AccountTable(Path path, String text, IdRange range) {
            this.path = path;
            this.range = range;
            this.entries =
                    text.lines().map(line -> List.of(line.split(":", -1))).toList();
            this.taken = entries.stream()
                    .map(entry -> field(entry, ID))
                    .filter(id -> id.matches("\\d{1,9}"))
                    .map(Integer::valueOf)
                    .collect(Collectors.toSet());
            if (!text.isEmpty() && !text.endsWith("\n")) {
                planned.append('\n');
            }
        }

        Optional<List<String>> entry(String name) {
            return entries.stream()
                    .filter(entry -> entry.getFirst().equals(name))
                    .findFirst();
        }

        int idOf(List<String> entry) {
            String text = field(entry, ID);
            if (!text.matches("\\d{1,9}") || !range.contains(Integer.parseInt(text))) {
                throw new HostException(
                        "account %s cannot be used".formatted(entry.getFirst()),
                        "its number in %s is '%s', and system accounts have %s"
                                .formatted(path, text, range),
                        NEXT);
            }
            return Integer.parseInt(text);
        }

        int plan(String name, Function<Integer, String> line) {
            int id = IntStream.rangeClosed(range.lowest(), range.highest())
                    .filter(free -> !taken.contains(free))
                    .findFirst()
                    .orElseThrow(() -> new HostException(
                            "cannot add account " + name,
                            "%s has no number left of %s".formatted(path, range),
                            "remove accounts that are not used, then run the command again"));
            taken.add(id);
            planned.append(line.apply(id)).append('\n');
            return id;
        }

        void appendTo(HostFiles files) {
            if (!planned.toString().isBlank()) {
                files.append(path, planned.toString());
            }
        }
    }
}
