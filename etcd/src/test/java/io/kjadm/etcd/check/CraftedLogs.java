package io.kjadm.etcd.check;

import static io.kjadm.etcd.check.WalFile.bytes;
import static io.kjadm.etcd.check.WalFile.message;
import static io.kjadm.etcd.check.WalFile.number;

import com.google.protobuf.ByteString;

import io.kjadm.etcd.check.WalReader.DamagedException;
import io.kjadm.etcd.recover.LogScan;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Files of etcd's log that are made to cost a reader memory, of 64 MiB each. As a program, it reads
 * each in every way and prints what was found.
 */
final class CraftedLogs {

    private static final int MIB = 1 << 20;
    private static final int PARTS = 64;

    private CraftedLogs() {}

    /** Adds records to a file until it has a MiB. */
    private interface Part {
        void fill(WalFile file, int part);
    }

    public static void main(String[] none) throws Exception {
        read("small entries", CraftedLogs::smallEntries);
        read("entries far from one another", CraftedLogs::gaps);
        read("a message of many small fields", CraftedLogs::smallFields);
        read("many snapshots", CraftedLogs::snapshots);
    }

    private static void read(String name, Part part) throws IOException, DamagedException {
        LogScan scan = new LogScan(0);
        scan.file(file(part), false);
        System.out.println(name + ": " + WalReader.read(file(part)).clusterId() + ", "
                + (scan.gap().committed() + scan.gap().open()) + " entries, "
                + scan.position().lastIndex());
    }

    /** Made as it is read. */
    private static InputStream file(Part part) {
        WalFile[] last = {new WalFile().startFile(0)};
        last[0].record(
                WalFile.METADATA, message().addField(1, number(1)).addField(2, number(0xc1)));
        Enumeration<InputStream> parts = Collections.enumeration(
                List.<InputStream>of(new ByteArrayInputStream(last[0].content())));
        var more = IntStream.range(0, PARTS)
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

    private static void entry(WalFile file, long index) {
        file.record(
                WalFile.ENTRY,
                message()
                        .addField(2, number(1))
                        .addField(3, number(index))
                        .addField(4, bytes(ByteString.copyFromUtf8("x"))));
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
            file.record(
                    WalFile.SNAPSHOT,
                    message().addField(1, number(part * 1_000_000L + i)).addField(2, number(1)));
        }
    }
}
