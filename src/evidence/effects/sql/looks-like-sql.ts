/** The whole text is SQL: it begins like a statement whose next word fits. */
const IS_SQL =
  /^\s{0,64}(?:(?:--[^\n]{0,256}\n|\/\*[^*]{0,256}\*\/)\s{0,16}){0,4}(?:select\b.{0,2000}\b(?:from|into|pg_|load_|version)|insert\s+(?:ignore\s+)?into\s|update\s+[\w."`[\]]{1,128}\s+set\s|delete\s+(?:from\s+[\w."`[\]]{1,128}\s*(?:;|$|where\b|using\b|returning\b)|[\w."`]{1,128}\s+from\s)|drop\s+(?:table|database|schema|view|index|user|role|owned|tablespace|function|materialized|column|keyspace)\s|truncate\s+(?:table\s|[\w."`]{1,128}\s*(?:;|$|cascade\b|restart\b))|alter\s+(?:table|user|role|database|system|schema)\s|create\s+(?:table|user|role|database|index|view|or\s+replace|extension|function)\s|grant\s+[\w, ]{1,128}\s+(?:on|to)\s|revoke\s+[\w, ]{1,128}\s+(?:on|from)\s|copy\s+[\w."(]{1,256}.{0,400}\b(?:to|from)\s|exec(?:ute)?\s+(?:master|xp_|sp_|immediate|\()|with\s+\w{1,64}\s+as\s*\(|merge\s+into\s|explain\s+analy[sz]e\s|(?:begin|start\s+transaction)\s*;|do\s+\$)/is

/** Whether a text as a whole is SQL; ordinary words that are verbs of SQL too do not make it that. */
export const looksLikeSql = (text: string): boolean => IS_SQL.test(text.slice(0, 8192))
