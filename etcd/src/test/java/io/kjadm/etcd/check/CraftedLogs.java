package io.kjadm.etcd.check;

import static io.kjadm.etcd.check.WalFile.message;
import static io.kjadm.etcd.check.WalFile.number;

import io.kjadm.etcd.check.WalReader.DamagedException;
import io.kjadm.etcd.recover.LogScan;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Files of etcd's log that are made to cost a reader memory or time. As a program, it reads each, of
 * so many MiB as it is told, in every way and prints what was found, and the time that it took.
 */
final class CraftedLogs {

    private static final int MIB = 1 << 20;

    private CraftedLogs() {}

    /** Adds records to a file until it has a MiB. */
    private interface Part {
        void fill(WalFile file, int part);
    }

    public static void main(String[] sizes) throws Exception {
        for (String mebibytes : sizes) {
            int parts = Integer.parseInt(mebibytes);
            read("small entries", parts, CraftedLogs::smallEntries);
            read("entries far from one another", parts, CraftedLogs::gaps);
            read("a message of many small fields", parts, CraftedLogs::smallFields);
            read("many snapshots", parts, CraftedLogs::snapshots);
        }
    }

    private static void read(String name, int parts, Part part)
            throws IOException, DamagedException {
        long before = cpuMillis();
        LogScan scan = new LogScan(0);
        scan.file(file(parts, part), false);
        String cluster = WalReader.read(file(parts, part)).clusterId();
        System.out.printf(
                "%s, %d MiB: %s, %d entries, %d in %d ms%n",
                name,
                parts,
                cluster,
                scan.gap().committed() + scan.gap().open(),
                scan.position().lastIndex(),
                cpuMillis() - before);
    }

    private static long cpuMillis() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1_000_000;
    }

    /** Made as it is read. */
    private static InputStream file(int count, Part part) {
        WalFile[] last = {new WalFile().startFile(0)};
        last[0].record(
                WalFile.METADATA, message().addField(1, number(1)).addField(2, number(0xc1)));
        Enumeration<InputStream> parts = Collections.enumeration(
                List.<InputStream>of(new ByteArrayInputStream(last[0].content())));
        var more = IntStream.range(0, count)
                .mapToObj(number -> {
                    WalFile next = new WalFile().startFile(last[0].sum());
                    part.fill(next, number);
                    last[0] = next;
                    return (InputStream) new ByteArrayInputStream(next.content());
                })
                .iterator();
        return new SequenceInputStream(
                new SequenceInputStream(parts), new SequenceInputStream(new Enumeration<>() {
                    @Override
                    public boolean hasMoreElements() {
                        return more.hasNext();
                    }

                    @Override
                    public InputStream nextElement() {
                        return more.next();
                    }
                }));
    }

    private static void smallEntries(WalFile file, int part) {
        for (long i = 1; file.size() < MIB; i++) {
            entry(file, part * 1_000_000L + i);
        }
    }

    private static void gaps(WalFile file, int part) {
        for (long i = 1; file.size() < MIB; i++) {
            entry(file, (part * 1_000_000L + i) << 20);
        }
    }

    /** Term, index and one byte of data, by hand: there are millions. */
    private static void entry(WalFile file, long index) {
        byte[] fields = new byte[32];
        int at = 0;
        fields[at++] = 2 * 8;
        fields[at++] = 1;
        fields[at++] = 3 * 8;
        at = WalFile.varint(index, fields, at);
        fields[at++] = 4 * 8 + 2;
        fields[at++] = 1;
        fields[at++] = 'x';
        file.record(WalFile.ENTRY, Arrays.copyOf(fields, at));
    }

    /** Two bytes each. */
    private static void smallFields(WalFile file, int part) {
        byte[] fields = new byte[MIB];
        for (int i = 0; i < fields.length; i += 2) {
            fields[i] = 8 * 5;
        }
        file.record(WalFile.ENTRY, fields);
    }

    private static void snapshots(WalFile file, int part) {
        for (long i = 1; file.size() < MIB; i++) {
            byte[] fields = new byte[32];
            int at = 0;
            fields[at++] = 8;
            at = WalFile.varint(part * 1_000_000L + i, fields, at);
            fields[at++] = 2 * 8;
            fields[at++] = 1;
            file.record(WalFile.SNAPSHOT, Arrays.copyOf(fields, at));
        }
    }
}
