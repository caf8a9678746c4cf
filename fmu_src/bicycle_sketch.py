icon = picture = None
