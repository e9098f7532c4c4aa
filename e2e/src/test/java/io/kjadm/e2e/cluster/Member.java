package io.kjadm.e2e.cluster;

import java.util.List;
import java.util.stream.Stream;

/**
 * An etcd member as etcdctl lists it.
 *
 * @param id hexadecimal
 * @param started whether it has told the cluster its name
 * @param name empty until it started
 * @param peerUrls comma separated
 * @param learner whether it only follows
 */
public record Member(String id, boolean started, String name, String peerUrls, boolean learner) {
    /**
     * Reads {@code etcdctl member list -w simple}; the output of an etcdctl before 3.4 names no
     * learners.
     */
    static List<Member> parseAll(String lines) {
        return lines.lines().filter(line -> !line.isBlank()).map(Member::parse).toList();
    }

    /**
     * The leader's ID in {@code etcdctl endpoint status -w fields}, which has it as a decimal
     * number.
     */
    static String leader(String fields) {
        return fields.lines()
                .filter(line -> line.startsWith("\"Leader\" : "))
                .map(line -> Long.toHexString(Long.parseUnsignedLong(
                        line.substring(line.indexOf(": ") + 2).strip())))
                .findFirst()
                .orElseThrow();
    }

    private static Member parse(String line) {
        var fields = Stream.of(line.split(",", -1)).map(String::strip).toList();
        return new Member(
                fields.get(0),
                fields.get(1).equals("started"),
                fields.get(2),
                fields.get(3),
                fields.size() > 5 && fields.get(5).equals("true"));
    }
}
