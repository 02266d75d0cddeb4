/** Whether a cmdlet with these arguments switches off a scanner or firewall, or makes it blind to a place. */
export const turnsOff = (name: string, args: string): boolean =>
  /^(?:set|add)-mppreference$/i.test(name)
    ? /-disable\w+[: ]\s*(?:\$true|1)\b|-exclusion\w+\b/i.test(args)
    : /^set-netfirewallprofile$/i.test(name)
      ? /-enabled[: ]\s*\$?false\b/i.test(args)
      : /^uninstall-windowsfeature$/i.test(name) && /defender/i.test(args)
