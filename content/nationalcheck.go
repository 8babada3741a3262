package content

import "strings"

// The checks of identity numbers: each is given the letters and digits of a number, letters in upper case, in the
// pattern of its kind.

// weighed returns the sum of digits, each times its weight; weights begin anew when they end.
func weighed(d string, weights ...int) (sum int) {
	for i := 0; i < len(d); i++ {
		sum += int(d[i]-'0') * weights[i%len(weights)]
	}
	return sum
}

// decimal returns the value of some digits.
func decimal(d string) (n int) {
	for i := 0; i < len(d); i++ {
		n = n*10 + int(d[i]-'0')
	}
	return n
}

// rest returns the remainder of a number of any length.
func rest(d string, by int) (n int) {
	for i := 0; i < len(d); i++ {
		n = (n*10 + int(d[i]-'0')) % by
	}
	return n
}

// dated reports whether four digits are a month and a day, two digits each.
func dated(mmdd string) bool {
	m, d := decimal(mmdd[:2]), decimal(mmdd[2:4])
	return m >= 1 && m <= 12 && d >= 1 && d <= 31
}

// dayFirst is dated for a day and a month.
func dayFirst(ddmm string) bool { return dated(ddmm[2:4] + ddmm[:2]) }

// last returns the value of the last digit.
func last(d string) int { return int(d[len(d)-1] - '0') }

// same reports whether a number is one digit over and over, as people write who need any.
func same(d string) bool { return strings.Trim(d, d[:1]) == "" }

// elevens returns a check by weights modulo 11, of which the digit is what is left to eleven, and ten stands for over.
func elevens(over int, weights ...int) func(string) bool {
	return func(d string) bool {
		want := (11 - weighed(d[:len(weights)], weights...)%11) % 11
		if want == 10 {
			want = over
		}
		return want == int(d[len(weights)]-'0')
	}
}

// britishInsurance checks the prefix and the suffix of a National Insurance number, which has no check digit.
func britishInsurance(s string) bool {
	return strings.IndexByte("DFIQUV", s[0]) < 0 && strings.IndexByte("DFIOQUV", s[1]) < 0 && strings.IndexByte("ABCD", s[8]) >= 0 &&
		!strings.Contains("BG GB KN NK NT TN ZZ", s[:2]) && !same(s[2:8])
}

// healthDigit is modulo 11 with weights from ten down; ten stands for no number.
var healthDigit = elevens(10, 10, 9, 8, 7, 6, 5, 4, 3, 2)

func britishHealth(d string) bool { return !same(d) && healthDigit(d) }

// americanTaxpayer checks the groups of a taxpayer's number, which has no check digit.
func americanTaxpayer(d string) bool {
	group := decimal(d[3:5])
	return d[0] == '9' && (group >= 50 && group <= 65 || group >= 70 && group != 89 && group != 93)
}

// germanTax checks an identification number for taxes (ISO/IEC 7064 MOD 11,10): one digit of the first ten twice or
// three times, and none more than once besides.
func germanTax(d string) bool {
	var counts [10]int
	for i := range 10 {
		counts[d[i]-'0']++
	}
	twice := 0
	for _, n := range counts {
		if n > 3 {
			return false
		}
		twice += boolInt(n > 1)
	}
	return d[0] != '0' && twice == 1 && hybrid(d)
}

// hybrid is ISO/IEC 7064 MOD 11,10.
func hybrid(d string) bool {
	p := 10
	for i := 0; i < len(d)-1; i++ {
		s := (p + int(d[i]-'0')) % 10
		if s == 0 {
			s = 10
		}
		p = 2 * s % 11
	}
	return (11-p)%10 == last(d)
}

// frenchRegister checks a number of the register of persons: sex, year, month, department, and a key modulo 97.
func frenchRegister(s string) bool {
	if s[0] != '1' && s[0] != '2' {
		return false
	}
	body := s[:13]
	switch s[5:7] {
	case "2A":
		body = s[:5] + "19" + s[7:13]
	case "2B":
		body = s[:5] + "18" + s[7:13]
	}
	if !of(body, 0, 13, setDigits) {
		return false
	}
	m := decimal(s[3:5])
	return (m >= 1 && m <= 12 || m >= 20 && m <= 42) && 97-rest(body, 97) == decimal(s[13:15])
}

const spanishLetters = "TRWAGMYFPDXBNJZSQVHLCKE"

func spanishIdentity(s string) bool { return spanishLetters[decimal(s[:8])%23] == s[8] && !same(s[:8]) }

func spanishForeigner(s string) bool {
	first := strings.IndexByte("XYZ", s[0])
	return first >= 0 && spanishLetters[(first*10_000_000+decimal(s[1:8]))%23] == s[8]
}

// What the characters at odd places of an Italian tax code count, digits as the first ten letters.
var italianOdd = [26]int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}

func italianCode(s string) bool {
	sum := 0
	for i := range 15 {
		c := int(s[i] - 'A')
		if isDigit(s[i]) {
			c = int(s[i] - '0')
		}
		if i%2 == 0 {
			c = italianOdd[c]
		}
		sum += c
	}
	return byte('A'+sum%26) == s[15] && strings.IndexByte("ABCDEHLMPRST", s[8]) >= 0
}

func brazilianPerson(d string) bool {
	return !same(d) && weighed(d[:9], 10, 9, 8, 7, 6, 5, 4, 3, 2)*10%11%10 == int(d[9]-'0') &&
		weighed(d[:10], 11, 10, 9, 8, 7, 6, 5, 4, 3, 2)*10%11%10 == int(d[10]-'0')
}

func brazilianCompany(d string) bool {
	digit := func(sum int) int {
		if sum %= 11; sum < 2 {
			return 0
		}
		return 11 - sum
	}
	return !same(d) && digit(weighed(d[:12], 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)) == int(d[12]-'0') &&
		digit(weighed(d[:13], 6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)) == int(d[13]-'0')
}

// verhoeffSteps is the permutation of Verhoeff's check, whose group is that of a pentagon's symmetries.
var verhoeffSteps = [10]int{1, 5, 7, 6, 2, 8, 3, 0, 9, 4}

func verhoeff(d string) bool {
	sum := 0
	for i := range len(d) {
		v := int(d[len(d)-1-i] - '0')
		for range i % 8 {
			v = verhoeffSteps[v]
		}
		switch {
		case sum < 5 && v < 5:
			sum = (sum + v) % 5
		case sum < 5:
			sum = (sum+v-5)%5 + 5
		case v < 5:
			sum = (sum-5-v+5)%5 + 5
		default:
			sum = (sum - v + 10) % 5
		}
	}
	return sum == 0
}

func indianIdentity(d string) bool { return d[0] >= '2' && !same(d) && verhoeff(d) }

func indianTax(s string) bool { return strings.IndexByte("ABCFGHJLPT", s[3]) >= 0 }

func dutchService(d string) bool {
	return !same(d) && (weighed(d[:8], 9, 8, 7, 6, 5, 4, 3, 2)-last(d))%11 == 0
}

func belgianRegister(d string) bool {
	key := decimal(d[9:])
	return dated(d[2:6]) && (97-rest(d[:9], 97) == key || 97-rest("2"+d[:9], 97) == key)
}

func polishRegister(d string) bool {
	m := decimal(d[2:4]) % 20
	return m >= 1 && m <= 12 && decimal(d[4:6]) >= 1 && decimal(d[4:6]) <= 31 && weighed(d, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)%10 == 0
}

func swedishPerson(d string) bool {
	d = d[len(d)-10:]
	day := decimal(d[4:6]) % 60 // numbers of coordination have sixty more
	return decimal(d[2:4]) >= 1 && decimal(d[2:4]) <= 12 && day >= 1 && day <= 31 && luhn(d)
}

var norwegianFirst, norwegianSecond = elevens(10, 3, 7, 6, 1, 8, 9, 4, 5, 2), elevens(10, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)

func norwegianBirth(d string) bool { return norwegianFirst(d) && norwegianSecond(d) }

func danishPerson(d string) bool { return dayFirst(d) && !same(d[6:]) }

func finnishIdentity(s string) bool {
	born := s[:6]
	tail := s[len(s)-4:]
	return dayFirst(born) && of(tail, 0, 3, setDigits) && "0123456789ABCDEFHJKLMNPRSTUVWXY"[decimal(born+tail[:3])%31] == tail[3]
}

func swissInsurance(d string) bool {
	return strings.HasPrefix(d, "756") && weighed(d, 1, 3)%10 == 0
}

func austrianInsurance(d string) bool {
	return d[0] != '0' && dayFirst(d[4:]) && weighed(d[:3]+d[4:], 3, 7, 9, 5, 8, 4, 2, 1, 6)%11 == int(d[3]-'0')
}

func chineseResident(s string) bool {
	return (s[6:8] == "19" || s[6:8] == "20") && dated(s[10:14]) && s[0] != '0' &&
		"10X98765432"[weighed(s[:17], 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)%11] == s[17]
}

func taiwaneseIdentity(s string) bool {
	area := strings.IndexByte("ABCDEFGHJKLMNPQRSTUVXYWZIO", s[0]) + 10
	return (s[1] == '1' || s[1] == '2') && (area/10+area%10*9+weighed(s[1:], 8, 7, 6, 5, 4, 3, 2, 1, 1))%10 == 0
}

func hongKongIdentity(s string) bool {
	sum := 36*9 + int(s[0]-'A'+10)*8 + weighed(s[1:7], 7, 6, 5, 4, 3, 2)
	want := (11 - sum%11) % 11
	return want == 10 && s[7] == 'A' || want < 10 && s[7] == byte('0'+want)
}

func singaporeIdentity(s string) bool {
	sum := weighed(s[1:8], 2, 7, 6, 5, 4, 3, 2)
	switch s[0] {
	case 'S':
		return "JZIHGFEDCBA"[sum%11] == s[8]
	case 'T':
		return "JZIHGFEDCBA"[(sum+4)%11] == s[8]
	case 'F':
		return "XWUTRQPNMLK"[sum%11] == s[8]
	case 'G':
		return "XWUTRQPNMLK"[(sum+4)%11] == s[8]
	}
	return false
}

func koreanResident(d string) bool {
	return dated(d[2:6]) && d[6] >= '1' && d[6] <= '8' && (11-weighed(d[:12], 2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)%11)%10 == last(d)
}

func japaneseNumber(d string) bool {
	r := weighed(d[:11], 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2) % 11
	return !same(d) && (r <= 1 && last(d) == 0 || r > 1 && 11-r == last(d))
}

func turkishIdentity(d string) bool {
	odd, even := weighed(d[:9], 1, 0), weighed(d[:8], 0, 1)
	return d[0] != '0' && ((7*odd-even)%10+10)%10 == int(d[9]-'0') && (odd+even+int(d[9]-'0'))%10 == last(d)
}

func luhnNumber(d string) bool { return !same(d) && luhn(d) }

func australianTax(d string) bool { return !same(d) && weighed(d, 1, 4, 3, 7, 5, 8, 6, 9, 10)%11 == 0 }

func chileanRole(s string) bool {
	body := s[:len(s)-1]
	sum, w := 0, 2
	for i := len(body) - 1; i >= 0; i-- {
		sum += int(body[i]-'0') * w
		if w++; w == 8 {
			w = 2
		}
	}
	return !same(body) && "0K987654321"[sum%11] == s[len(s)-1]
}

func argentineTax(d string) bool {
	return (d[0] == '2' || d[0] == '3') && weighed(d, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0
}

func portugueseTax(d string) bool {
	r := weighed(d[:8], 9, 8, 7, 6, 5, 4, 3, 2) % 11
	return d[0] != '0' && !same(d) && (r < 2 && last(d) == 0 || r >= 2 && 11-r == last(d))
}

func romanianCode(d string) bool {
	r := weighed(d[:12], 2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9) % 11
	return d[0] != '0' && dated(d[3:7]) && (r == 10 && last(d) == 1 || r == last(d))
}

func bulgarianNumber(d string) bool {
	m := decimal(d[2:4]) % 20
	return m >= 1 && m <= 12 && decimal(d[4:6]) >= 1 && decimal(d[4:6]) <= 31 && weighed(d[:9], 2, 4, 8, 5, 10, 9, 7, 3, 6)%11%10 == last(d)
}

func czechBirth(d string) bool {
	m := decimal(d[2:4]) % 50 % 20
	return m >= 1 && m <= 12 && decimal(d[4:6]) >= 1 && decimal(d[4:6]) <= 31 && rest(d, 11) == 0
}

var yugoslavDigit = elevens(0, 7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)

func yugoslavNumber(d string) bool { return dayFirst(d) && yugoslavDigit(d) }

func balticCode(d string) bool {
	r := weighed(d[:10], 1, 2, 3, 4, 5, 6, 7, 8, 9, 1) % 11
	if r == 10 {
		r = weighed(d[:10], 3, 4, 5, 6, 7, 8, 9, 1, 2, 3) % 11 % 10
	}
	return d[0] >= '1' && d[0] <= '8' && dated(d[3:7]) && r == last(d)
}

func greekTax(d string) bool {
	return !same(d) && weighed(d[:8], 256, 128, 64, 32, 16, 8, 4, 2)%11%10 == last(d)
}

func greekInsurance(d string) bool { return dayFirst(d) && luhn(d) }

func southAfricanIdentity(d string) bool { return dated(d[2:6]) && d[10] <= '2' && luhn(d) }

func russianInsurance(d string) bool {
	return !same(d) && weighed(d[:9], 9, 8, 7, 6, 5, 4, 3, 2, 1)%101%100 == decimal(d[9:])
}

func russianTax(d string) bool {
	return !same(d) && weighed(d[:10], 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)%11%10 == int(d[10]-'0') && weighed(d[:11], 3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)%11%10 == last(d)
}

func kazakhIdentity(d string) bool {
	r := weighed(d[:11], 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) % 11
	if r == 10 {
		r = weighed(d[:11], 3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2) % 11
	}
	return dated(d[2:6]) && r == last(d)
}

func indonesianIdentity(d string) bool {
	day := decimal(d[6:8]) % 40 // women's have forty more
	return d[0] != '0' && day >= 1 && day <= 31 && decimal(d[8:10]) >= 1 && decimal(d[8:10]) <= 12 && d[12:] != "0000"
}

func malaysianIdentity(d string) bool { return dated(d[2:6]) && decimal(d[6:8]) > 0 }

func thaiIdentity(d string) bool {
	return d[0] != '0' && !same(d) && (11-weighed(d[:12], 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2)%11)%10 == last(d)
}

func iranianCode(d string) bool {
	r := weighed(d[:9], 10, 9, 8, 7, 6, 5, 4, 3, 2) % 11
	return !same(d) && (r < 2 && last(d) == r || r >= 2 && 11-r == last(d))
}

func irishService(s string) bool {
	sum := weighed(s[:7], 8, 7, 6, 5, 4, 3, 2)
	if len(s) == 9 && s[8] != 'W' {
		sum += 9 * int(s[8]-'A'+1)
	}
	return "WABCDEFGHIJKLMNOPQRSTUV"[sum%23] == s[7]
}

func mexicanCode(s string) bool {
	const order = "0123456789ABCDEFGHIJKLMN\x00OPQRSTUVWXYZ"
	sum := 0
	for i := range 17 {
		sum += strings.IndexByte(order, s[i]) * (18 - i)
	}
	return dated(s[6:10]) && strings.IndexByte("HMX", s[10]) >= 0 && (10-sum%10)%10 == last(s)
}
