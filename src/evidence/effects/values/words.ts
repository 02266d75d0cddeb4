/** The words of a text that blanks or line ends separate: a list of names, one string in the source. */
export const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '')
