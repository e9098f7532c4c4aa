package io.kjadm.etcd;

import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.stream.Collectors;

/**
 * The IDs of a member and of its cluster, which a member keeps for its life.
 *
 * @param clusterId hexadecimal, as a status tells it
 */
public record MemberIds(String clusterId, MemberId memberId) {

    /**
     * The IDs that etcd gives to a cluster with one initial member, and to that member. They follow
     * from its peer URLs and the token alone, for a first start and for a restored snapshot alike
     * (etcd's {@code computeMemberID} in {@code membership/member.go} and {@code genID} in {@code
     * membership/cluster.go}; the same in 3.3 to 3.6).
     *
     * @param token    {@code --initial-cluster-token}
     * @param peerUrls of the only member, in any order
     */
    public static MemberIds ofFounder(String token, Collection<URI> peerUrls) {
        String urls = peerUrls.stream().map(URI::toString).sorted().collect(Collectors.joining());
        long member = firstBytes((urls + token).getBytes(StandardCharsets.UTF_8));
        long cluster =
                firstBytes(ByteBuffer.allocate(Long.BYTES).putLong(member).array());
        return new MemberIds(Long.toHexString(cluster), new MemberId(member));
    }

    private static long firstBytes(byte[] hashed) {
        try {
            return ByteBuffer.wrap(MessageDigest.getInstance("SHA-1").digest(hashed))
                    .getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JDK has no SHA-1", e);
        }
    }

    /** "member 8e9e05c52164694d of cluster cdf818194e3a8c32". */
    @Override
    public String toString() {
        return "member %s of cluster %s".formatted(memberId, clusterId);
    }
}
