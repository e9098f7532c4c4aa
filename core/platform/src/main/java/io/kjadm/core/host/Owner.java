package io.kjadm.core.host;

/** Who a file belongs to, in numbers: names are looked up by whoever has the accounts. */
public record Owner(int uid, int gid) {

    /** The superuser and its group. */
    public static final Owner ROOT = new Owner(0, 0);

    public Owner {
        if (uid < 0 || gid < 0) {
            throw new IllegalArgumentException("no owner: " + uid + ":" + gid);
        }
    }

    @Override
    public String toString() {
        return uid + ":" + gid;
    }
}
