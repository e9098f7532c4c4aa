package io.kjadm.core.auto;

import io.kjadm.etcd.Sha256;
import io.kjadm.etcd.auto.MachineId;

import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where the objects of the automatic mode lie in a store. */
public final class AutoObjects {

    /** What the operator wants; written once. */
    public static final String CLUSTER = "v1/auto/cluster.json";
    /** The CAs of the generations lie below it. */
    public static final String PKI = "v1/auto/pki/";

    static final String MACHINES = "v1/auto/machines/";
    static final String PROBES = "v1/auto/probe/";

    private static final Pattern MACHINE =
            Pattern.compile(Pattern.quote(MACHINES) + "(m-[0-9a-f]{16})\\.json");

    private static final Pattern RUN =
            Pattern.compile(Pattern.quote(MACHINES) + "(m-[0-9a-f]{16})/runs/00([0-9]{18})\\.json");

    private AutoObjects() {}

    /** Of an entry. */
    static String entry(long slot) {
        return "v1/auto/log/" + name(slot);
    }

    /** Below it are the runs of a machine, one for each boot. */
    static String runs(MachineId machine) {
        return MACHINES + machine + "/runs/";
    }

    /** The machine whose run it is, and its number; empty if it is none. */
    static Optional<Map.Entry<MachineId, Long>> run(String key) {
        Matcher matcher = RUN.matcher(key);
        return matcher.matches()
                ? Optional.of(Map.entry(
                        new MachineId(matcher.group(1)), Long.parseLong(matcher.group(2))))
                : Optional.empty();
    }

    /** Of a slot, so that names sort as numbers do. */
    static String name(long slot) {
        return "%020d.json".formatted(slot);
    }

    /** Of a machine's report. */
    static String report(MachineId machine) {
        return MACHINES + machine + ".json";
    }

    /** The machine whose report it is. */
    static Optional<MachineId> machine(String key) {
        Matcher matcher = MACHINE.matcher(key);
        return matcher.matches() ? Optional.of(new MachineId(matcher.group(1))) : Optional.empty();
    }

    /** SHA-256, hexadecimal. */
    static String hash(byte[] bytes) {
        return HexFormat.of().formatHex(Sha256.digest().digest(bytes));
    }
}
