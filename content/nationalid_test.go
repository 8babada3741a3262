package content

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIdentityNumbersOfMembersAreMasked: the name is a member's, the number its value.
func TestIdentityNumbersOfMembersAreMasked(t *testing.T) {
	for name, value := range map[string]string{"pesel": "95100762275", "cpf": "66297340765", "customer_cpf": "662.973.407-65", "customerDni": "62330604Y", "national_id": "96733572440", "身份证号": "11010519491231002X", "codice_fiscale": "rssmra50p15h501e"} {
		d, r := scanBody(t, "tools/call", SideResponse, `{"content":[{"type":"text","text":"ok"}],"structuredContent":{`+quote(t, name)+`:`+quote(t, value)+`}}`)
		if name == "customerDni" {
			// Of short names only those that stand alone count.
			require.Empty(t, r.Findings)
			continue
		}
		require.Contains(t, detectors(r), "national-id", name)
		require.NotContains(t, string(mask(t, d, r).Bytes), value, name)
	}
}

// TestEveryKindOfIdentityRefusesAnotherCheckDigit changes one digit of a valid number of every kind that has a check
// digit: none of the ten others is valid as well, but for the checks that cannot tell two of them.
func TestEveryKindOfIdentityRefusesAnotherCheckDigit(t *testing.T) {
	for number, kind := range map[string]*idKind{
		"1437741754": &idHealth, "67652804399": &idGerman, "143041845268356": &idFrench, "62330604Y": &idSpanish, "Y2978545J": &idForeigner, "RSSMRA50P15H501E": &idItalian, "66297340765": &idBrazilian, "57716048000118": &idCompany, "641428938739": &idIndian, "341820155": &idDutch,
		"85073003328": &idBelgian, "95100762275": &idPolish, "8112189876": &idSwedish, "131052308T": &idFinnish, "7569217076985": &idSwiss, "1237010180": &idAustrian, "11010519491231002X": &idChinese, "A123456789": &idTaiwanese, "A1234563": &idHongKong, "S1234567D": &idSingapore,
		"6909251902047": &idKorean, "256973243602": &idJapanese, "10000000146": &idTurkish, "132437518": &idLuhnNine, "319659599": &idAustralian, "123456785": &idChilean, "20123456786": &idArgentine, "123456789": &idPortuguese, "1800101221144": &idRomanian, "7523169263": &idBulgarian,
		"7103192745": &idCzech, "0101006500006": &idYugoslav, "33392005961": &idCroatian, "36805280109": &idBaltic, "094259216": &idGreekTax, "01013099997": &idGreek, "7503305044089": &idAfrican, "11223344595": &idRussian, "500100732259": &idRussianTax, "1234545678781": &idThai, "0499370899": &idIranian, "6433435F": &idIrish, "BOXW310820HNERXN09": &idMexican,
	} {
		require.Equal(t, len(number), kind.at(number, 0), number)
		others := "0123456789"
		if last := number[len(number)-1]; !isDigit(last) {
			others = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		}
		valid := 0
		for _, c := range others {
			if other := number[:len(number)-1] + string(c); kind.at(other, 0) > 0 {
				valid++
			}
		}
		require.LessOrEqual(t, valid, 1, number)
	}
}

// TestIdentitiesAmongOtherDigitsAreNone: a number that goes on, or is part of another, is none.
func TestIdentitiesAmongOtherDigitsAreNone(t *testing.T) {
	for _, text := range []string{"PESEL: 951007622751", "PESEL: 95100762275-1", "PESEL:" + strings.Repeat(" ", idReach) + "95100762275", "xpesel 95100762275", "x893.942.594-49", "1-893.942.594-49"} {
		require.NotContains(t, detectors(scanText(t, text)), "national-id", text)
	}
}

// TestWordsThatOnlyLookLikeNamesOfIdentities: everyday words, ends of words, functions and batches with numbers behind
// them that would pass a check.
func TestWordsThatOnlyLookLikeNamesOfIdentities(t *testing.T) {
	for _, text := range []string{
		"Nie 600 100 200, tylko 512345678.", "w ciągu 14 dni 123456789", "Das habe ich nie: 234567899.",
		"sin: 0.70710678", "длинный номер 500100732259", "Batch 240118-1000237 shipped", "batch 350118-3000232",
	} {
		require.NotContains(t, detectors(scanText(t, text)), "national-id", text)
	}
	for _, text := range []string{"DNI 62330604Y", "NIE: Y2978545J", "NIF 123456789", "ИНН 500100732259", "ваш инн: 500100732259", "690925-1902047", "RUT 12.345.678-5", "BSN 3418.20.155"} {
		require.Contains(t, detectors(scanText(t, text)), "national-id", text)
	}
}
