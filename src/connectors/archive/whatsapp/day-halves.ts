/** Words for a.m. and p.m. in the languages of phones, letters only; some languages have several. */
const BEFORE_NOON = `
  am vm ጥዋት ص صباحًا صباحا পূৰ্বাহ্ন পূর্বাহ্ণ dop πμ قظ قبلازظهر ap rn sf de nụtụtụ fh 午前 오전 тң ກ່ອນທ່ຽງ priešpiet
  priekšp претпл үө pg နံနက် पूर्वाह्न मपू غم صبح පෙව gh pd fm ቅቀ goöň öö چب дп to sa àárọ̀ 上午 凌晨 清晨 早上 午夜 半夜
  முற்பகல் ಪೂರ್ವಾಹ್ನ ਪੂਦੁ לפנהצ ก่อนเที่ยง ព្រឹក asubuhi eparadites
`;
const AFTER_NOON = `
  pm nm ከሰዓት م مساءً مساء অপৰাহ্ন অপরাহ্ণ odp μμ بظ بعدازظهر ip in ym du nabalị eh 午後 오후 тк ຫຼັງທ່ຽງ popiet
  pēcp попл үх ptg ညနေ अपराह्न मउ غو شام පව gd md em ድቀ gosoň ös چك пп tk ch ọ̀sán 下午 傍晚 晚上
  பிற்பகல் ಅಪರಾಹ್ನ ਬਾਦੁ אחהצ หลังเที่ยง ល្ងាច mchana epasdites gm pop
`;
/** Words for the hours around noon. */
const AROUND_NOON = '中午';

export type DayHalf = 'am' | 'pm' | 'noon';

const HALVES: ReadonlyMap<string, DayHalf> = new Map([
  ...words(BEFORE_NOON).map((word) => [word, 'am'] as const),
  ...words(AFTER_NOON).map((word) => [word, 'pm'] as const),
  [AROUND_NOON, 'noon'] as const,
]);

/** Whether a word (letters only) means a.m. or p.m. */
export function dayHalfOf(word: string): DayHalf | undefined {
  return HALVES.get(word);
}

/** Converts to a 24-hour clock. An hour above 12 is unchanged. */
export function hourOf24(hour: number, half: DayHalf | undefined): number {
  if (half === undefined || hour > 12) return hour;
  if (half === 'am') return hour % 12;
  return half === 'noon' && hour > 9 ? hour : (hour % 12) + 12;
}

function words(text: string): string[] {
  return text
    .trim()
    .split(/\s+/)
    .map((word) => word.normalize('NFKC'));
}
