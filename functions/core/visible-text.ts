/**
 * What takes room on a page, at most: no space, control or format character, and none that is drawn as nothing (Unicode,
 * Default_Ignorable_Code_Point, such as the Hangul fillers; and the blank pattern of Braille).
 */
const VISIBLE = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether people see anything of a text. */
export const isVisible = (text: string): boolean => VISIBLE.test(text);
