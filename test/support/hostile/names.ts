/** The result of their templates, if something evaluates them. */
export const FILLED_IN = '36863';
/** Hostile names that people may give, each against whatever shows them. At most 100 characters. */
export const HOSTILE_NAMES = {
  markup: '<img src=x onerror="document.title=191*193"><script>document.title=191*193</script>',
  style: '"></style><style>*{display:none!important}</style><b data-hostile>',
  template: '{{191*193}} ${191*193} #{191*193} <%=191*193%> [[191*193]] %s %00 \\u0041 &lt;b&gt; `7`',
  // Ends the isolation that a page puts around it, then reverses the direction.
  reversed: 'paid\u2069\u202e evil \u2066\u202b',
  hebrew: '\u200f\u05e9\u05dc\u05d5\u05dd 123 \u05e2\u05d5\u05dc\u05dd',
  marks: `Z${'\u0352'.repeat(99)}`,
  unseen: 'a\u200b\u200d\u2060\u00ad\ufeff\u{e0041}\ufe0fb',
  long: 'W'.repeat(100),
  formula: "=cmd|' /C calc'!A0",
  lines: 'first\u2028second\u2029third\u0020\u00a0fourth',
} as const;
