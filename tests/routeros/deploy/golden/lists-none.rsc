# Installs the agent "mikroscope", arm64, on RouterOS 7.24
# Upload the image first, as mikroscope.tar: mikroscope image --arch arm64 --out mikroscope.tar
# Then: /import file-name=... `mikroscope uninstall` removes all of it.
# This file holds the agent's token: it is a credential. Remove it from the router afterwards.
# Note: privileged: root in the container is root of the router, which makes the kernel log, slab and flash counters readable; --privileged no keeps it apart and does without them
{
# guards: nothing has been written while one of them fails
:if (!([:tostr [/system/resource/get version]] ~ "^7\\.24(\\.[0-9]+)\3F( |\$)")) do={ :error "this script is for RouterOS 7.24; make it anew with plan --ros" }
:if ([:len [/system/package/find name="container" disabled=no]] = 0) do={ :error "the container package is missing or disabled" }
:local mikroscopeMode [:tostr [/system/device-mode/get container]]
:if ($mikroscopeMode != "yes" && $mikroscopeMode != "true") do={ :error "device-mode forbids containers: /system/device-mode/update container=yes" }
:if ([:len [/file/find name="mikroscope/mikroscope.manifest.txt"]] > 0) do={ :error "manifest: there is one already; see `mikroscope status`" }
:if ([:len [/interface/veth/find name="veth-mikro"]] > 0) do={ :error "veth: there is one already; see `mikroscope status`" }
:if ([:len [/ip/address/find interface="veth-mikro"]] > 0) do={ :error "address: there is one already; see `mikroscope status`" }
:if ([:len [/container/envs/find list="mikroscope-env"]] > 0) do={ :error "environment: there is one already; see `mikroscope status`" }
:if ([:len [/file/find name="mikroscope.tar"]] = 0) do={ :error "upload the image first, as mikroscope.tar" }
:if ([:len [/container/find interface="veth-mikro"]] > 0) do={ :error "container: there is one already; see `mikroscope status`" }
# manifest
/file/add name="mikroscope/mikroscope.manifest.txt" contents="mikroscope-manifest=1\ntag=mikroscope:mikroscope (managed by mikroscope)\nwritten-by=VERSION\nslot=a\ntoken=yes\nname=mikroscope\nveth=veth-mikro\nsubnet=172.30.10.0/30\niface-list=none\naddr-list=none\nport=9123\nexpose=no\nlan-address=\nexpose-from=\ndisk=\nephemeral=no\narch=auto\nremote-image=\nmemory-max=64M\nprivileged=yes\nstart-on-boot=yes\ncontainer-name=\nrestart-max-count=5\nrestart-interval=10s\nno-token=no\nrate=10\nbuffer=60\nsources=\ntriggers=softnet-drop,oom,kmsg<=3,reset,irq-err,flash-bad\ncapture-mb=4\ncapture-pre=5\ncapture-post=5\ncapture-policy=first\ntrigger-refractory=10\nfloor-hz=0\nsubtick=0\ndirectory=mikroscope\nfile=mikroscope/mikroscope.manifest.txt\nobject=/interface/veth name=veth-mikro\nobject=/ip/address interface=veth-mikro\nobject=/container/envs list=mikroscope-env\nfile=mikroscope.tar\nobject=/container interface=veth-mikro\ndirectory=mikroscope/mikroscope\n"
# veth
/interface/veth/add name=veth-mikro address="172.30.10.2/30" gateway="172.30.10.1" comment="mikroscope:mikroscope (managed by mikroscope)"
# address
/ip/address/add address="172.30.10.1/30" interface=veth-mikro comment="mikroscope:mikroscope (managed by mikroscope)"
# environment
/container/envs/add list=mikroscope-env key="MIKROSCOPE_TAG" value="mikroscope:mikroscope (managed by mikroscope)"
/container/envs/add list=mikroscope-env key="ADDR" value="172.30.10.2"
/container/envs/add list=mikroscope-env key="PORT" value=9123
/container/envs/add list=mikroscope-env key="RATE_HZ" value=10
/container/envs/add list=mikroscope-env key="BUFFER_S" value=60
/container/envs/add list=mikroscope-env key="TRIGGERS" value="softnet-drop,oom,kmsg<=3,reset,irq-err,flash-bad"
/container/envs/add list=mikroscope-env key="CAPTURE_MB" value=4
/container/envs/add list=mikroscope-env key="CAPTURE_PRE_S" value=5
/container/envs/add list=mikroscope-env key="CAPTURE_POST_S" value=5
/container/envs/add list=mikroscope-env key="CAPTURE_POLICY" value=first
/container/envs/add list=mikroscope-env key="TRIGGER_REFRACTORY_S" value=10
/container/envs/add list=mikroscope-env key="FLOOR_HZ" value=0
/container/envs/add list=mikroscope-env key="SUBTICK" value=0
/container/envs/add list=mikroscope-env key="TOKEN" value="0123456789abcdef0123456789abcdef"
# upload
# container
/container/add file="mikroscope.tar" interface=veth-mikro root-dir="mikroscope/mikroscope" envlists=mikroscope-env entrypoint="/mikroscope-agent" logging=yes start-on-boot=yes restart-policy=on-failure restart-max-count=5 restart-interval="10s" memory-max="64M" dns="172.30.10.1" privileged=yes ignore-remote-image-change=yes comment="mikroscope:mikroscope (managed by mikroscope)"
# extraction
:local mikroscopeWait 0
:while ([:len [/container/find comment="mikroscope:mikroscope (managed by mikroscope)" stopped]] = 0 && $mikroscopeWait < 120) do={ :delay 1s; :set mikroscopeWait ($mikroscopeWait + 1) }
:if ([:len [/container/find comment="mikroscope:mikroscope (managed by mikroscope)" stopped]] = 0) do={ :error "the image was not unpacked in time: /log/print where topics~\"container\"" }
/file/remove [/file/find name="mikroscope.tar"]
# start
/container/start [/container/find comment="mikroscope:mikroscope (managed by mikroscope)"]
:local mikroscopeRun 0
:while ([:len [/container/find comment="mikroscope:mikroscope (managed by mikroscope)" running]] = 0 && $mikroscopeRun < 30) do={ :delay 1s; :set mikroscopeRun ($mikroscopeRun + 1) }
:if ([:len [/container/find comment="mikroscope:mikroscope (managed by mikroscope)" running]] = 0) do={ :error "the agent does not run: /log/print where topics~\"container\"" }
:put "the agent runs at http://172.30.10.2:9123"
}
