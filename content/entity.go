package content

import (
	"html"
	"strings"
	"unicode/utf8"
)

// maxEntity bounds an HTML entity, in bytes; the longest name that is known has two dozen.
const maxEntity = 28

// entityLen returns the length of the entity at the start of s, 0 when there is none.
func entityLen(s string) int {
	_, n := entity(s)
	return n
}

// entity decodes the HTML entity at the start of s. A number needs no semicolon, as in browsers.
func entity(s string) (string, int) {
	if len(s) < 4 {
		return "", 0
	}
	if s[1] == '#' {
		return numericEntity(s)
	}
	if !isLetter(s[1]) {
		return "", 0
	}
	end := 2
	for end < len(s) && end < maxEntity && isAlnum(s[end]) {
		end++
	}
	if end == len(s) || s[end] != ';' {
		return "", 0
	}
	if to, ok := entities[s[1:end]]; ok {
		return to, end + 1
	}
	return "", 0
}

// numericEntity decodes the entity at the start of s that names a character by its number.
func numericEntity(s string) (string, int) {
	i, base := 2, 10
	if s[i]|0x20 == 'x' {
		i, base = 3, 16
	}
	first, r := i, 0
	for ; i < len(s) && i < maxEntity && isHex(s[i]) && (base == 16 || isDigit(s[i])); i++ {
		r = min(r*base+int(hexValue(s[i])), utf8.MaxRune+1)
	}
	if i-first < 2 && (i == len(s) || s[i] != ';') || i == first {
		return "", 0
	}
	if r >= 0x80 && r < 0xa0 {
		// The numbers of Windows-1252, which browsers read where Unicode has controls.
		if to := html.UnescapeString("&" + s[1:i] + ";"); len(to) <= utf8.UTFMax {
			return to, i + boolInt(i < len(s) && s[i] == ';')
		}
	}
	if r == 0 {
		r = utf8.RuneError
	}
	return runeString(rune(r)), i + boolInt(i < len(s) && s[i] == ';')
}

// entities are the named characters that a detector could see: letters, digits, marks of ASCII, spaces, what looks
// like one of them, and what is invisible. The symbols of mathematics stay as they are written.
var entities = func() map[string]string {
	m := make(map[string]string, 1024)
	for name := range strings.FieldsSeq(entityNames) {
		m[name] = html.UnescapeString("&" + name + ";")
	}
	return m
}()

const entityNames = "AElig AMP Aacute Abreve Acirc Acy Afr Agrave Alpha Amacr Aogon Aopf ApplyFunction Aring Ascr Atilde Auml Backslash Bcy Bernoullis Beta Bfr Bopf Breve " +
	"Bscr CHcy COPY Cacute CapitalDifferentialD Cayleys Ccaron Ccedil Ccirc Cdot Cedilla CenterDot Cfr Chi CloseCurlyDoubleQuote CloseCurlyQuote Colone " +
	"Copf Cross Cscr DD DJcy DScy DZcy Dagger Dcaron Dcy Delta Dfr DiacriticalAcute DiacriticalDot DiacriticalDoubleAcute DiacriticalGrave " +
	"DiacriticalTilde DifferentialD Dopf Dot DotDot DoubleDot DoubleVerticalBar DownBreve DownTee Dscr Dstrok ENG ETH Eacute Ecaron Ecirc Ecy Edot Efr " +
	"Egrave Emacr Eogon Eopf Epsilon Equal Escr Eta Euml ExponentialE Fcy Ffr Fopf Fouriertrf Fscr GJcy GT Gamma Gammad Gbreve Gcedil Gcirc Gcy Gdot Gfr " +
	"Gg Gopf Gscr Gt HARDcy Hacek Hat Hcirc Hfr HilbertSpace Hopf Hscr Hstrok IEcy IJlig IOcy Iacute Icirc Icy Idot Ifr Igrave Im Imacr ImaginaryI " +
	"InvisibleComma InvisibleTimes Iogon Iopf Iota Iscr Itilde Iukcy Iuml Jcirc Jcy Jfr Jopf Jscr Jsercy Jukcy KHcy KJcy Kappa Kcedil Kcy Kfr Kopf Kscr " +
	"LJcy LT Lacute Lambda Laplacetrf Lcaron Lcedil Lcy Lfr Ll Lmidot Lopf Lscr Lstrok Lt Mcy MediumSpace Mellintrf Mfr Mopf Mscr Mu NJcy Nacute Ncaron " +
	"Ncedil Ncy NegativeMediumSpace NegativeThickSpace NegativeThinSpace NegativeVeryThinSpace NestedGreaterGreater NestedLessLess NewLine Nfr NoBreak " +
	"NonBreakingSpace Nopf NotEqual NotEqualTilde NotGreater NotGreaterFullEqual NotGreaterGreater NotGreaterSlantEqual NotHumpDownHump NotHumpEqual " +
	"NotLeftTriangleBar NotLess NotLessLess NotLessSlantEqual NotNestedGreaterGreater NotNestedLessLess NotPrecedesEqual NotRightTriangleBar " +
	"NotSquareSubset NotSquareSuperset NotSubset NotSucceedsEqual NotSucceedsTilde NotSuperset Nscr Ntilde Nu OElig Oacute Ocirc Ocy Odblac Ofr Ograve " +
	"Omacr Omega Omicron Oopf OpenCurlyDoubleQuote OpenCurlyQuote Oscr Oslash Otilde Ouml OverBar Pcy Pfr Phi Pi PlusMinus Poincareplane Popf Prime Pscr " +
	"Psi QUOT Qfr Qopf Qscr REG Racute Rcaron Rcedil Rcy Re Rfr Rho Ropf Rscr SHCHcy SHcy SOFTcy Sacute Scaron Scedil Scirc Scy Sfr Sigma Sopf Sscr THORN " +
	"TRADE TSHcy TScy Tab Tau Tcaron Tcedil Tcy Tfr Theta ThickSpace ThinSpace Tilde Topf TripleDot Tscr Tstrok Uacute Ubrcy Ubreve Ucirc Ucy Udblac Ufr " +
	"Ugrave Umacr UnderBar Union Uogon Uopf Upsi Upsilon Uring Uscr Utilde Uuml Vcy Vee Verbar Vert VerticalBar VerticalLine VeryThinSpace Vfr Vopf Vscr " +
	"Wcirc Wfr Wopf Wscr Xfr Xi Xopf Xscr YAcy YIcy YUcy Yacute Ycirc Ycy Yfr Yopf Yscr Yuml ZHcy Zacute Zcaron Zcy Zdot ZeroWidthSpace Zeta Zfr Zopf Zscr " +
	"aacute abreve acE acirc acute acy aelig af afr agrave alefsym aleph alpha amacr amp angst aogon aopf apos aring ascr ast atilde auml backprime bcy " +
	"bdquo bernou beta beth bfr bigcup bigvee bne bnequiv bopf bprime breve brvbar bscr bsemi bsol bull bullet cacute caps caret caron ccaron ccedil ccirc " +
	"cdot cedil cent centerdot cfr chcy chi circ circledR circledS colon comma commat complexes copf copy cscr cup cups curren dagger daleth dash dblac " +
	"dcaron dcy dd ddagger deg delta dfr die digamma div divide djcy dollar dopf dot dscr dscy dstrok dzcy eacute ecaron ecirc ecy edot ee efr egrave ell " +
	"emacr emsp emsp13 emsp14 eng ensp eogon eopf epsi epsilon epsiv equals escr eta eth euml excl expectation exponentiale fcy ffilig fflig ffllig ffr " +
	"filig fjlig fllig fnof fopf frac12 frac14 frac34 frasl fscr gacute gamma gammad gbreve gcirc gcy gdot gesl gfr gg ggg gimel gjcy gla gopf grave gscr " +
	"gt gvertneqq gvnE hairsp half hamilt hardcy hbar hcirc hellip hfr hopf horbar hscr hslash hstrok hybull hyphen iacute ic icirc icy iecy iexcl ifr " +
	"igrave ii ijlig imacr image imagline imagpart imath imped incare infin inodot integers iocy iogon iopf iota iquest iscr it itilde iukcy iuml jcirc " +
	"jcy jfr jmath jopf jscr jsercy jukcy kappa kappav kcedil kcy kfr kgreen khcy kjcy kopf kscr lacute lagran lambda laquo lates lbbrk lbrace lbrack " +
	"lcaron lcedil lcub lcy ldquo ldquor lesg lfr ljcy ll lmidot lopf lowast lowbar lpar lrm lsaquo lscr lsqb lsquo lsquor lstrok lt lvertneqq lvnE macr " +
	"mcy mdash mfr micro mid midast middot minus mldr mopf mscr mu nGg nGt nGtv nLl nLt nLtv nacute nang napE napid napos naturals nbsp nbump nbumpe " +
	"ncaron ncedil ncongdot ncy ndash ne nedot nesim nfr ngE ngeqq ngeqslant nges ngt ngtr njcy nlE nldr nleqq nleqslant nles nless nlt nopf not notinE " +
	"notindot nparsl npart npre npreceq nrarrc nrarrw nsce nscr nsubE nsubset nsubseteqq nsucceq nsupE nsupset nsupseteqq ntilde nu num numero numsp nvap " +
	"nvge nvgt nvle nvlt nvltrie nvrtrie nvsim oS oacute ocirc ocy odblac oelig ofr ogon ograve ohm oline omacr omega omicron oopf or order orderof ordf " +
	"ordm oscr oslash otilde ouml par para parallel parsl pcy percnt period permil pertenk pfr phi phiv phmmat pi piv planck planckh plankv plus plusmn " +
	"plustwo pm popf pound prime primes pscr psi puncsp qfr qopf qprime qscr quaternions quest quot race racute raquo ratio rationals rbbrk rbrace rbrack " +
	"rcaron rcedil rcub rcy rdquo rdquor real realine realpart reals reg rfr rho rhov ring rlm ropf rpar rsaquo rscr rsqb rsquo rsquor sacute sbquo scaron " +
	"scedil scirc scy sect semi setminus setmn sfr shchcy shcy shortmid shortparallel shy sigma sigmaf sigmav sim smallsetminus smid smtes softcy sol sopf " +
	"spar sqcaps sqcups sscr ssetmn straightepsilon straightphi strns sup1 sup2 sup3 szlig tau tcaron tcedil tcy tdot tfr theta thetasym thetav thicksim " +
	"thinsp thksim thorn tilde times top topf tprime trade tscr tscy tshcy tstrok uacute ubrcy ubreve ucirc ucy udblac ufr ugrave umacr uml uogon uopf " +
	"upsi upsih upsilon uring uscr utilde uuml varepsilon varkappa varphi varpi varrho varsigma varsubsetneq varsubsetneqq varsupsetneq varsupsetneqq " +
	"vartheta vcy vee verbar vert vfr vnsub vnsup vopf vscr vsubnE vsubne vsupnE vsupne wcirc wfr wopf wscr xcup xfr xi xopf xscr xvee yacute yacy ycirc " +
	"ycy yen yfr yicy yopf yscr yucy yuml zacute zcaron zcy zdot zeetrf zeta zfr zhcy zopf zscr zwj zwnj"
