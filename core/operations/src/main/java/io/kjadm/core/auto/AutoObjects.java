package io.kjadm.core.auto;

import io.kjadm.etcd.Sha256;
import io.kjadm.etcd.auto.MachineId;

import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/** Where the objects of the automatic mode lie in a store. */
public final class AutoObjects {

    /** What the operator wants; written once. */
    public static final String CLUSTER = "v1/auto/cluster.json";
    /** The CAs of the generations lie below it. */
    public static final String PKI = "v1/auto/pki/";

    static final String MACHINES = "v1/auto/machines/";
    static final String PROBES = "v1/auto/probe/";

    private static final String RUNS = "/runs/00";
    private static final String JSON = ".json";
    private static final int ID = 18;
    private static final int DIGITS = 18;
    private static final int RADIX = 10;
    private static final String ZEROS = "0".repeat(20);

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
        int number = MACHINES.length() + ID + RUNS.length();
        boolean shaped = key.length() == number + DIGITS + JSON.length()
                && key.startsWith(RUNS, MACHINES.length() + ID)
                && isNumber(key, number);
        return shaped
                ? id(key).map(machine ->
                        Map.entry(machine, Long.parseLong(key, number, number + DIGITS, RADIX)))
                : Optional.empty();
    }

    private static boolean isNumber(String key, int from) {
        for (int i = from; i < from + DIGITS; i++) {
            if (key.charAt(i) < '0' || key.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }

    /** The machine below which an object lies. */
    private static Optional<MachineId> id(String key) {
        String id = key.startsWith(MACHINES) && key.endsWith(JSON)
                ? key.substring(MACHINES.length(), MACHINES.length() + ID)
                : "";
        return MachineId.isOne(id) ? Optional.of(new MachineId(id)) : Optional.empty();
    }

    /** Of a slot, so that names sort as numbers do. */
    static String name(long slot) {
        String digits = Long.toString(slot);
        return ZEROS.substring(digits.length()) + digits + JSON;
    }

    /** Of a machine's report. */
    static String report(MachineId machine) {
        return MACHINES + machine + ".json";
    }

    /** The machine whose report it is. */
    static Optional<MachineId> machine(String key) {
        return key.length() == MACHINES.length() + ID + JSON.length() ? id(key) : Optional.empty();
    }

    /** SHA-256, hexadecimal. */
    static String hash(byte[] bytes) {
        return HexFormat.of().formatHex(Sha256.digest().digest(bytes));
    }
}
