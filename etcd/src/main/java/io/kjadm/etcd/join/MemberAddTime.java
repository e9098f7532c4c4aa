package io.kjadm.etcd.join;

import io.kjadm.etcd.Member;
import io.kjadm.etcd.MemberId;

import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * When a member was added. The member list does not say, but etcd makes the ID of an added member
 * from its peer URLs and the second of the add, so trying the seconds back
 * from now finds it.
 */
public final class MemberAddTime {

    /** How far the clock of the server that made the ID may be ahead of ours. */
    private static final Duration AHEAD = Duration.ofMinutes(1);

    private MemberAddTime() {}

    /**
     * The second of the add; empty if it is longer ago than that, or the member was there when the
     * cluster began.
     */
    public static Optional<Instant> of(Member member, Instant now, Duration lookBack) {
        long end = now.plus(AHEAD).getEpochSecond();
        long start = now.minus(lookBack).getEpochSecond();
        MessageDigest sha1 = sha1();
        byte[] urls = urls(member.peerUrls());
        for (long second = end; second >= start; second--) {
            if (id(sha1, urls, second) == member.id().value()) {
                return Optional.of(Instant.ofEpochSecond(second));
            }
        }
        return Optional.empty();
    }

    /** The ID that a server gives a member added in that second. */
    public static MemberId id(List<URI> peerUrls, Instant second) {
        return new MemberId(id(sha1(), urls(peerUrls), second.getEpochSecond()));
    }

    private static long id(MessageDigest sha1, byte[] urls, long second) {
        sha1.update(urls);
        return ByteBuffer.wrap(
                        sha1.digest(Long.toString(second).getBytes(StandardCharsets.US_ASCII)))
                .getLong();
    }

    private static byte[] urls(List<URI> peerUrls) {
        return peerUrls.stream()
                .map(URI::toString)
                .sorted()
                .collect(Collectors.joining())
                .getBytes(StandardCharsets.UTF_8);
    }

    private static MessageDigest sha1() {
        try {
            // not for security: it is the hash etcd uses
            return MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-1", e);
        }
    }
}
