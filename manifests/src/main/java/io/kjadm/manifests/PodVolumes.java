package io.kjadm.manifests;

import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Our volumes and the operator's, sorted by name; the operator's replaces ours of the same name.
 */
final class PodVolumes {

    private PodVolumes() {}

    static List<HostVolume> merge(Collection<HostVolume> ours, Collection<HostVolume> extra) {
        var byName = new TreeMap<String, HostVolume>();
        Stream.concat(ours.stream(), extra.stream())
                .forEach(volume -> byName.put(volume.name(), volume));
        return List.copyOf(byName.values());
    }
}
